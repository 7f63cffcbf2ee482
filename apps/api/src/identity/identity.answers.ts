import { ApiProperty } from '@nestjs/swagger';
import type { GamingDayRule } from '#read-model';
import {
  Choices,
  Day,
  OneOf,
  Part,
  Parts,
  RulesId,
  Text,
  Texts,
  Time,
  YesNo,
} from '../docs/answer-fields.js';
import type { AccountChanged, AccountShown } from './accounts/accounts.js';
import type { ResetIssued } from './accounts/password-resets.js';
import type { GrantShown } from './accounts/pending-grants.js';
import type { KeyShown } from './keys/device-keys.js';
import type { FirstDuty } from './identity.js';
import { PERMISSIONS, type Permission, type Role, ROLES } from './permissions.js';
import { type Confirmed, FACTORS } from './me/confirm-session.js';
import type { HouseShown, Me, OwnSession } from './me/shown-identity.js';
import type { KeptObject } from './me/kept-object.js';
import type { FactorBegun } from './me/own-factor.js';
import type { ViewShown } from './me/saved-views.js';
import type { SignedIn } from './sessions/open-session.js';
import type { SessionShown } from './sessions/sessions.js';

const DUTIES = ['password-change', 'second-factor'] as const satisfies readonly FirstDuty[];
const TABLES = { description: 'Table ids, or "*" alone for all' };

/** An account: its human, roles and tables, its kind and state, and who created it and when. */
export class AccountAnswer implements Required<AccountShown> {
  @Text() name!: string;
  @Text({ description: 'The id of the human in the record: `person/<id>`' }) person!: string;
  @Choices(ROLES) roles!: readonly Role[];
  @Texts(TABLES) tables!: readonly string[];
  @YesNo() disabled!: boolean;
  @YesNo({ description: 'Reads only, without an idle limit' }) wallDisplay!: boolean;
  @YesNo({ description: 'Whether one is enrolled' }) secondFactor!: boolean;
  @YesNo({ description: 'Whether the next sign-in leads only to changing the password' })
  mustChangePassword!: boolean;
  @Time() createdAt!: string;
  @Text({ description: 'The identity that created it' }) createdBy!: string;
}
/** All accounts, in order of name. */
export class AccountsAnswer {
  @Parts(() => AccountAnswer) items!: readonly AccountAnswer[];
}

/** Roles and tables that wait for another admin: who asked, when, and until when they wait. */
export class GrantAnswer implements Required<GrantShown> {
  @Text() id!: string;
  @Text({ description: 'The name of the account' }) account!: string;
  @Choices(ROLES, { description: 'All roles that the account gets' }) roles!: readonly Role[];
  @Texts(TABLES) tables!: readonly string[];
  @Text({ description: 'The name of the account that asked' }) askedBy!: string;
  @Time() askedAt!: string;
  @Time() expiresAt!: string;
}
/** The pending grants that the sender may see. */
export class GrantsAnswer {
  @Parts(() => GrantAnswer) items!: readonly GrantAnswer[];
}
/** An account as it is, and the part of a change that another admin has to confirm. */
export class PendingAccountAnswer implements Required<AccountChanged> {
  @Part(() => AccountAnswer) account!: AccountAnswer;
  @Part(() => GrantAnswer) grant!: GrantAnswer;
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

/** A session of an account: when it began, was last used and expires. */
export class SessionAnswer implements Required<SessionShown> {
  @Text() id!: string;
  @Time() createdAt!: string;
  @Time({ description: 'To the minute' }) lastUsedAt!: string;
  @Time({ description: 'It ends at this time at the latest' }) expiresAt!: string;
  @YesNo({ description: 'Whether it is the session that asks' }) current!: boolean;
}
/** The sessions of an account, the newest first. */
export class SessionsAnswer {
  @Parts(() => SessionAnswer) items!: readonly SessionAnswer[];
}
/** A one-time code for a new password. */
export class ResetAnswer implements Required<ResetIssued> {
  @Text({ description: 'Shown once and never stored' }) code!: string;
  @Time() expiresAt!: string;
}
/** The secret of a new authenticator. */
export class FactorBegunAnswer implements Required<FactorBegun> {
  @Text({ description: 'In base32' }) secret!: string;
  @Text({ description: '`otpauth:` URI, for a QR code' }) uri!: string;
}
/** Codes that replace the authenticator, once each. */
export class RecoveryCodesAnswer {
  @Texts({ description: 'Shown once and never stored' }) recoveryCodes!: readonly string[];
}

/** The token of a new session, unless it is a cookie, and when it expires. */
export class SignedInAnswer implements Required<SignedIn> {
  @Text({
    required: false,
    description: 'For the header `Authorization: Bearer ...`. Absent if the session is a cookie',
  })
  token!: string;
  @Time() expiresAt!: string;
}

/** A saved view: its name, what the page keeps in it, and when it was last saved. */
export class ViewAnswer implements Required<ViewShown> {
  @Text() name!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) view!: KeptObject;
  @Time() changedAt!: string;
}
/** The saved views of an account, in order of name. */
export class ViewsAnswer {
  @Parts(() => ViewAnswer) items!: readonly ViewAnswer[];
}

/** A confirmation: what it rests on, and until when it lasts. */
export class ConfirmedAnswer implements Required<Confirmed> {
  @Choices(FACTORS, { description: 'What was proved. Later versions may add more' })
  factors!: Confirmed['factors'];
  @Time() confirmedUntil!: string;
}

/** The session of the person who asks. */
export class OwnSessionAnswer implements Required<OwnSession> {
  @Time({ description: 'It ends at this time at the latest' }) expiresAt!: string;
  @Time({
    nullable: true,
    description:
      'It ends then if no request comes before, to the minute. Null for a wall display, which has no idle limit',
  })
  idleUntil!: string | null;
  @Time({ description: 'After this, requests that need a confirmation answer `confirm-first`' })
  confirmedUntil!: string;
}
/** A rule of gaming days: from which gaming day on, in which zone, at what time they begin. */
export class GamingDayRuleAnswer implements Required<GamingDayRule> {
  @Day() from!: string;
  @Text({ description: 'A time zone of the IANA database' }) zone!: string;
  @Text({ description: '`HH:MM`' }) cutover!: string;
}
/** What the house has set, and what is in force. */
export class HouseAnswer implements Required<HouseShown> {
  @Text({ description: 'The time zone of the present gaming day' }) zone!: string;
  @Text({ description: 'When the present gaming day began: `HH:MM` in its zone' }) cutover!: string;
  @Parts(() => GamingDayRuleAnswer) gamingDays!: readonly GamingDayRuleAnswer[];
  @Texts({ description: 'The installed rule documents, `id@version`' }) rules!: readonly string[];
  @RulesId({ description: 'The review policy in force' }) policy!: string;
}

/** The identity of the token that was sent, what it may do, and what is in force. */
export class MeAnswer implements Required<Me> {
  @Text({ description: '`person/<account name>` or `device/<key name>`' }) id!: string;
  @Text({ nullable: true, description: 'The human: the account writes as `person/<person>`' })
  person!: string | null;
  @Choices([...ROLES, 'device']) roles!: Me['roles'];
  @Texts(TABLES) tables!: readonly string[];
  @Choices(Object.keys(PERMISSIONS), { description: 'What the token may do now' })
  permissions!: readonly Permission[];
  @YesNo({ description: 'Reads only, without an idle limit' }) wallDisplay!: boolean;
  @YesNo({ description: 'Whether one is enrolled' }) secondFactor!: boolean;
  @OneOf(DUTIES, { nullable: true, description: 'What must be done before anything else' })
  mustDo!: FirstDuty | null;
  @Part(() => OwnSessionAnswer, { nullable: true, description: 'Null for the key of a device' })
  session!: OwnSessionAnswer | null;
  @Part(() => HouseAnswer) house!: HouseAnswer;
  @Text({ description: 'The version of the server. A page of another version reloads' })
  build!: string;
}
