import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
  Unique,
} from 'typeorm';
import type { KeptObject } from '../me/kept-object.js';
import type { Role } from '../permissions.js';

/** The schema of accounts and keys. Unlike the rows, it cannot be rebuilt from the log. */
export const ACCESS_SCHEMA = 'access';

/** A person's account. `tables` are exact ids, or `*` alone for all. */
@Entity({ name: 'account', schema: ACCESS_SCHEMA })
export class Account {
  @PrimaryColumn({ type: 'text' }) name!: string;
  /** The id of the human in the record. Accounts of one human share it. */
  @Column({ type: 'text' }) person!: string;
  @Column({ type: 'text', name: 'password_hash' }) passwordHash!: string;
  /** Whether somebody else set the password, so that its owner must change it first. */
  @Column({ type: 'boolean', name: 'must_change_password', default: false })
  mustChangePassword!: boolean;
  /** When somebody first signed in with the password; null until then. */
  @Column({ type: 'timestamptz', name: 'password_used_at', nullable: true })
  passwordUsedAt!: Date | null;
  /** Whether a second factor is enrolled and confirmed. */
  @Column({ type: 'boolean', name: 'second_factor', default: false }) secondFactor!: boolean;
  /** Whether it shows a screen on a wall: it reads only, and its sessions have no idle limit. */
  @Column({ type: 'boolean', name: 'wall_display', default: false }) wallDisplay!: boolean;
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
  /** To the minute. */
  @Column({ type: 'timestamptz', name: 'last_used_at', default: () => 'now()' }) lastUsedAt!: Date;
  /** When its person last proved who they are: by signing in, or since. */
  @Column({ type: 'timestamptz', name: 'confirmed_at', default: () => 'now()' }) confirmedAt!: Date;
}

/**
 * Roles and tables that an admin asked for an account, until another admin confirms or refuses
 * them or they expire. A later request for the same account replaces it.
 */
@Entity({ name: 'pending_grant', schema: ACCESS_SCHEMA })
@Unique('pending_grant_account_name', ['accountName'])
export class PendingGrant {
  @PrimaryColumn({ type: 'text' }) id!: string;
  @Column({ type: 'text', name: 'account_name' }) accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'pending_grant_account' })
  account!: Relation<Account>;
  @Column({ type: 'text', array: true }) roles!: Role[];
  @Column({ type: 'text', array: true }) tables!: string[];
  /** The account that asked. */
  @Column({ type: 'text', name: 'asked_by' }) askedBy!: string;
  @Column({ type: 'timestamptz', name: 'asked_at', default: () => 'now()' }) askedAt!: Date;
  @Column({ type: 'timestamptz', name: 'expires_at' }) expiresAt!: Date;
}

/** A one-time code with which a person sets a new password. Only its SHA-256 is kept. */
@Entity({ name: 'password_reset', schema: ACCESS_SCHEMA })
export class PasswordReset {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'password_reset_account' })
  account!: Relation<Account>;
  @Column({ type: 'bytea', name: 'code_hash' }) codeHash!: Buffer;
  /** Whether its use removes the second factor too. */
  @Column({ type: 'boolean', name: 'removes_second_factor' }) removesSecondFactor!: boolean;
  @Column({ type: 'timestamptz', name: 'expires_at' }) expiresAt!: Date;
}

/** The secret that an authenticator app shares with an account (TOTP, RFC 6238), in base32. */
@Entity({ name: 'totp', schema: ACCESS_SCHEMA })
export class Totp {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'totp_account' })
  account!: Relation<Account>;
  @Column({ type: 'text' }) secret!: string;
  /** The time step of the last accepted code. Codes of this step and earlier ones are refused. */
  @Column({ type: 'integer', name: 'last_step', default: 0 }) lastStep!: number;
}

/** A code that replaces the authenticator app once. Only its SHA-256 is kept. */
@Entity({ name: 'recovery_code', schema: ACCESS_SCHEMA })
export class RecoveryCode {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'recovery_code_account' })
  account!: Relation<Account>;
  @PrimaryColumn({ type: 'bytea', name: 'code_hash' }) codeHash!: Buffer;
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

/** A table that a key has sent to first, and does not list by name. Never deleted. */
@Entity({ name: 'key_table', schema: ACCESS_SCHEMA })
export class KeyTable {
  @PrimaryColumn({
    type: 'text',
    name: 'key_name',
    primaryKeyConstraintName: 'key_table_pkey',
  })
  keyName!: string;
  @PrimaryColumn({ type: 'text', name: 'table_name', primaryKeyConstraintName: 'key_table_pkey' })
  table!: string;
  @Column({ type: 'timestamptz', name: 'brought_at', default: () => 'now()' }) broughtAt!: Date;
}

/** An address from which an account has signed in: an IPv4 address or an IPv6 /64. */
@Entity({ name: 'known_address', schema: ACCESS_SCHEMA })
class KnownAddress {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @PrimaryColumn({ type: 'text' }) address!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'known_address_account' })
  account!: Relation<Account>;
  @Index('known_address_last_at')
  @Column({ type: 'timestamptz', name: 'last_at', default: () => 'now()' })
  lastAt!: Date;
}

/** A view that an account has saved, such as the filter of a list. */
@Entity({ name: 'saved_view', schema: ACCESS_SCHEMA })
export class SavedView {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'saved_view_account' })
  account!: Relation<Account>;
  @PrimaryColumn({ type: 'text' }) name!: string;
  @Column({ type: 'json' }) view!: KeptObject;
  @Column({ type: 'timestamptz', name: 'changed_at', default: () => 'now()' }) changedAt!: Date;
}

/** The preferences of an account. */
@Entity({ name: 'preferences', schema: ACCESS_SCHEMA })
export class Preferences {
  @PrimaryColumn({ type: 'text', name: 'account_name' }) accountName!: string;
  @ManyToOne(() => Account, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'account_name', foreignKeyConstraintName: 'preferences_account' })
  account!: Relation<Account>;
  @Column({ type: 'json' }) preferences!: KeptObject;
}

/** All entities of the schema `access`. */
export const ACCESS_ENTITIES = [
  Account,
  Session,
  PendingGrant,
  PasswordReset,
  Totp,
  RecoveryCode,
  DeviceKey,
  KeyTable,
  KnownAddress,
  SavedView,
  Preferences,
];
