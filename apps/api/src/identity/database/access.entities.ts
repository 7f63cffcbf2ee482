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

/** An attempt to sign in that failed, or whose password is being checked. */
@Entity({ name: 'sign_in_attempt', schema: ACCESS_SCHEMA })
export class SignInAttempt {
  @PrimaryColumn({ type: 'uuid' }) id!: string;
  @Column({ type: 'text' }) name!: string;
  @Column({ type: 'text' }) address!: string;
  @Index('sign_in_attempt_at')
  @Column({ type: 'timestamptz', default: () => 'now()' })
  at!: Date;
}

/** All entities of the schema `access`. */
export const ACCESS_ENTITIES = [Account, Session, DeviceKey, SignInAttempt];
