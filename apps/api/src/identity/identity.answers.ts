import { Choices, Parts, Text, Texts, Time, YesNo } from '../docs/answer-fields.js';
import type { AccountShown } from './accounts/accounts.js';
import type { KeyShown } from './keys/device-keys.js';
import { PERMISSIONS, type Permission, type Role, ROLES } from './permissions.js';
import type { Me } from './sessions/session.controller.js';
import type { SignedIn } from './sessions/sign-in.js';

const TABLES = { description: 'Table ids, or "*" alone for all' };

/** An account: its roles and tables, whether it is disabled, and who created it and when. */
export class AccountAnswer implements Required<AccountShown> {
  @Text() name!: string;
  @Choices(ROLES) roles!: readonly Role[];
  @Texts(TABLES) tables!: readonly string[];
  @YesNo() disabled!: boolean;
  @Time() createdAt!: string;
  @Text({ description: 'The identity that created it' }) createdBy!: string;
}
/** All accounts, in order of name. */
export class AccountsAnswer {
  @Parts(() => AccountAnswer) items!: readonly AccountAnswer[];
}

/** A device key: what it may write, who created it, and when it was revoked and last used. */
export class KeyAnswer implements Required<KeyShown> {
  @Text() id!: string;
  @Text() name!: string;
  @Texts() sources!: readonly string[];
  @Texts() tables!: readonly string[];
  @Texts() types!: readonly string[];
  @Time() createdAt!: string;
  @Text() createdBy!: string;
  @Time({ nullable: true }) revokedAt!: string | null;
  @Time({ nullable: true, description: 'To the minute' }) lastUsedAt!: string | null;
}
/** A new device key with its token. */
export class NewKeyAnswer extends KeyAnswer {
  @Text({ description: 'The bearer token; shown once and never stored' }) token!: string;
}
/** The device keys that the sender may see, in order of name. */
export class KeysAnswer {
  @Parts(() => KeyAnswer) items!: readonly KeyAnswer[];
}

/** The token of a new session, and when it expires. */
export class SignedInAnswer implements Required<SignedIn> {
  @Text({ description: 'For the header `Authorization: Bearer ...`' }) token!: string;
  @Time() expiresAt!: string;
}

/** The identity of the token that was sent: its id, roles, tables and permissions. */
export class MeAnswer implements Required<Me> {
  @Text({ description: '`person/<name>` or `device/<key name>`' }) id!: string;
  @Choices([...ROLES, 'device']) roles!: Me['roles'];
  @Texts(TABLES) tables!: readonly string[];
  @Choices(Object.keys(PERMISSIONS)) permissions!: readonly Permission[];
}
