import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import type { Role } from '../permissions.js';

/** The schema of accounts and keys. Unlike the rows, it cannot be rebuilt from the log. */
export const ACCESS_SCHEMA = 'access';

/** A person who may sign in. `tables` are exact ids, or `*` alone for all. */
@Entity({ name: 'account', schema: ACCESS_SCHEMA })
export class Account {
  @PrimaryColumn({ type: 'text' }) name!: string;
  @Column({ type: 'text', name: 'password_hash' }) passwordHash!: string;
  @Column({ type: 'text', array: true }) roles!: Role[];
  @Column({ type: 'text', array: true }) tables!: string[];
  @Column({ type: 'boolean', default: false }) disabled!: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' }) createdAt!: Date;
  @Column({ type: 'text', name: 'created_by' }) createdBy!: string;
}

/** A person's session, until it expires or ends. Only the SHA-256 of its token is kept. */
@Entity({ name: 'session', schema: ACCESS_SCHEMA })
export class Session {
  @PrimaryColumn({ type: 'text' }) id!: string;
  @Index('session_account_name')
  @Column({ type: 'text', name: 'account_name' })
  accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'session_account' })
  account!: Relation<Account>;
  @Column({ type: 'bytea', name: 'token_hash' }) tokenHash!: Buffer;
  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at' }) expiresAt!: Date;
}

/**
 * The key that a device or gateway sends events with. Its name is in the record, so it is never
 * reused.
 */
@Entity({ name: 'device_key', schema: ACCESS_SCHEMA })
export class DeviceKey {
  @PrimaryColumn({ type: 'text' }) id!: string;
  @Column({ type: 'text', unique: true }) name!: string;
  @Column({ type: 'bytea', name: 'token_hash' }) tokenHash!: Buffer;
  @Column({ type: 'text', array: true }) sources!: string[];
  @Column({ type: 'text', array: true }) tables!: string[];
  @Column({ type: 'text', array: true }) types!: string[];
  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' }) createdAt!: Date;
  @Column({ type: 'text', name: 'created_by' }) createdBy!: string;
  @Column({ type: 'timestamptz', name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
  /** To the minute. */
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
}

/** An address from which an account has signed in: an IPv4 address or an IPv6 /64. */
@Entity({ name: 'known_address', schema: ACCESS_SCHEMA })
export class KnownAddress {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @PrimaryColumn({ type: 'text' }) address!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'known_address_account' })
  account!: Relation<Account>;
  @Index('known_address_last_at')
  @Column({ type: 'timestamptz', name: 'last_at', default: () => 'now()' })
  lastAt!: Date;
}

/** All entities of the schema `access`. */
export const ACCESS_ENTITIES = [Account, Session, DeviceKey, KnownAddress];
