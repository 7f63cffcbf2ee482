import type { Card } from '#baccarat';
import { DISPOSITIONS, REVIEWER_ROLES, type DispositionCode } from '../review/policy.js';

/** A hand, as the field uses the word: never a person. */
export type Hand = 'player' | 'banker';
/** Whether a coup counts for bets: only a normal one does. */
export type CoupKind = 'normal' | 'dummy' | 'demonstration' | 'free';
/**
 * The kinds of fact that a table undertakes to report. The absence of a fact is held against a
 * dealer only if its kind is reported.
 */
export const REPORTS = [
  'outcomes',
  'bets',
  'settlements',
  'commission',
  'burns',
  'cut-card',
  'dealers',
] as const;
/** A kind of fact that a table can report. */
export type Report = (typeof REPORTS)[number];

interface Remark {
  readonly by?: string;
  readonly reason?: string;
}
interface DeviceNote {
  readonly firmware?: string;
  readonly code?: string | number;
  readonly text?: string;
  readonly by?: string;
  readonly lastSequence?: number;
}
interface OnlineNote extends DeviceNote {
  /**
   * How many messages its source missed before it came online; null if it does not know. Absent if
   * it says nothing about it.
   */
  readonly missed?: number | null;
  /** The unit that reports, such as a serial number. */
  readonly unit?: string;
}
interface Stake {
  readonly seat: number;
  readonly bet: string;
  readonly amount: number;
}
interface Duty {
  readonly dealer: string;
  readonly role: 'dealer' | 'caller';
}
interface Call {
  readonly reason?: string;
  readonly video?: string;
}

/** The roles in which a person may look at a finding, and be named as `as`. */
export const REVIEW_ROLES = [...REVIEWER_ROLES, 'regulator'] as const;
/** A role in which a person acts on a finding. */
export type ReviewRole = (typeof REVIEW_ROLES)[number];

/** What every act on a finding names: the finding's id, and the role in which the person acts. */
interface OfFinding {
  readonly finding: string;
  readonly as: ReviewRole;
}
/** Times of a recording, RFC 3339. */
interface Footage {
  readonly from: string;
  readonly to: string;
}

/** Any JSON by name: what a thing was made with, or what changed on it. Never a secret. */
type Values = Readonly<Record<string, unknown>>;
/** What the sealer found wrong behind the back of the house. */
export const EVIDENCE_ALARMS = [
  'changed',
  'missing',
  'other-log',
  'behind',
  'fork',
  'clock',
  'key',
] as const;
/** One kind of what the sealer found wrong. */
export type EvidenceAlarm = (typeof EVIDENCE_ALARMS)[number];

interface OfSession {
  readonly account: string;
  readonly session: string;
}

/**
 * The data of each event type of contract section 2. Amounts are in minor units, and `null` is an
 * unread card.
 */
export interface EventData {
  'shoe-opened': {
    readonly rules: string;
    readonly decks: number;
    readonly kind: 'physical' | 'virtual';
    readonly currency: string;
    readonly reports: readonly Report[];
    readonly limits?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
    readonly rulesHash?: string;
    readonly commitment?: string;
  };
  'cut-card-drawn': Readonly<Record<string, never>>;
  'shoe-closed': {
    readonly reason?: 'cut-card' | 'operator' | 'error' | 'end';
    readonly remaining?: number;
    readonly remainingCards?: readonly Card[];
    readonly reveal?: string;
  };
  'coup-opened': { readonly coup: number; readonly kind?: CoupKind };
  'bet-placed': Stake;
  'bet-withdrawn': Stake;
  'betting-closed': Readonly<Record<string, never>>;
  'card-drawn': {
    readonly card: Card | null;
    readonly to: Hand | 'burn' | 'out' | null;
    readonly exposed?: boolean;
  };
  'card-moved': Remark & {
    readonly event: string;
    readonly to: Hand | 'burn' | 'discard' | 'next';
  };
  'hand-called': { readonly hand: Hand; readonly total: number };
  'outcome-declared': {
    readonly outcome: Hand | 'tie';
    readonly player?: number;
    readonly banker?: number;
    readonly specials?: readonly string[];
    readonly by: 'dealer' | 'device';
  };
  'bet-settled': {
    readonly seat: number;
    readonly bet: string;
    readonly stake: 'returned' | 'taken';
    readonly paid: number;
    readonly commissionTaken?: number;
    readonly commissionMarked?: number;
  };
  'commission-collected': { readonly seat: number; readonly amount: number };
  'commission-waived': Remark & { readonly seat: number; readonly amount: number };
  'seat-left': { readonly seat: number };
  'coup-closed': Readonly<Record<string, never>>;
  'coup-voided': Remark & { readonly coup?: number };
  'dealer-signed-on': Duty;
  'dealer-relieved': Duty;
  'supervisor-called': Call;
  'surveillance-notified': Call;
  'observation-corrected': Remark & {
    readonly event: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  'device-online': OnlineNote;
  'device-offline': DeviceNote;
  'device-error': DeviceNote;
  'device-error-cleared': DeviceNote;
  'device-setting-changed': DeviceNote;
  'gap-declared': {
    readonly source: string;
    readonly session: string;
    readonly from: number;
    readonly to: number;
  };
  'server-started': {
    readonly version: string;
    readonly rules: Values;
    readonly policy?: Values;
    readonly settings: Values;
  };
  'person-signed-in': OfSession & { readonly address: string };
  'person-sign-in-failed': {
    readonly account?: string;
    readonly address: string;
    readonly attempts: number;
  };
  'person-signed-out': OfSession;
  'person-session-ended': OfSession;
  'account-created': { readonly account: string; readonly values: Values };
  'account-changed': { readonly account: string; readonly changes: Values };
  'key-created': { readonly key: string; readonly values: Values };
  'key-revoked': { readonly key: string };
  'record-read': {
    readonly record: string;
    readonly filter: Values;
    readonly format: 'json' | 'csv' | 'xlsx' | 'ndjson';
    readonly times: number;
  };
  'parked-decided': { readonly parked: string; readonly decision: 'retry' | 'release' };
  'partition-resumed': { readonly partition: number };
  'record-passed': {
    readonly partition: number;
    readonly offset: number;
    readonly sha256: string;
    readonly size: number;
    readonly key: string;
    readonly fault: string;
    readonly reason: string;
  };
  'export-requested': {
    readonly export: string;
    readonly scope: Values;
    readonly purpose: string;
    readonly recipient: string;
    readonly options?: Values;
  };
  'export-made': {
    readonly export: string;
    readonly package: string;
    readonly sha256: string;
    readonly size: number;
    readonly checkpoint: number;
    readonly records: number;
    readonly warnings: readonly string[];
  };
  'export-downloaded': { readonly export: string; readonly sha256: string };
  'export-failed': { readonly export: string; readonly code: string; readonly detail: string };
  'export-removed': { readonly export: string };
  'evidence-alarm': {
    readonly alarm: EvidenceAlarm;
    readonly detail: string;
    readonly of?: string;
    readonly record?: number;
    readonly partition?: number;
    readonly offset?: number;
    readonly line?: number;
    readonly sealed?: string;
    readonly found?: string;
  };
  'evidence-resumed': {
    readonly partition: number;
    readonly offset: number;
    readonly reason: string;
  };
  'evidence-keys-changed': {
    readonly statement: number;
    readonly changes: Values;
    readonly reason?: string;
  };
  'finding-viewed': OfFinding;
  'finding-claimed': OfFinding & { readonly lease: number };
  'finding-released': OfFinding;
  'finding-commented': OfFinding & { readonly text: string; readonly video?: string };
  'finding-video-attached': OfFinding & { readonly video: string } & Partial<Footage>;
  'finding-video-hold-requested': OfFinding &
    Footage & { readonly camera?: string; readonly reason?: string };
  'finding-video-held': OfFinding & {
    readonly request: string;
    readonly until: string;
    readonly video?: string;
  };
  'finding-ruling-proposed': OfFinding & {
    readonly disposition: DispositionCode;
    readonly policy: string;
    readonly evidence: string;
    readonly note?: string;
    readonly amount?: number;
    readonly favours?: 'house' | 'patron';
    readonly video?: string;
    readonly batch?: string;
  };
  'finding-ruling-signed': OfFinding & {
    readonly proposal: string;
    readonly evidence: string;
    readonly note?: string;
    readonly confirmed?: string;
  };
  'finding-ruling-refused': OfFinding & { readonly proposal: string; readonly reason: string };
  'finding-ruling-taken-back': OfFinding & { readonly proposal: string; readonly reason?: string };
  'finding-escalated': OfFinding & {
    readonly to: (typeof REVIEWER_ROLES)[number];
    readonly reason: string;
  };
  'finding-reopened': OfFinding & { readonly ruling: string; readonly reason: string };
}
/** The short name of an event type. */
export type EventType = keyof EventData;

/**
 * A table event as the fold takes it: the type's short name, its data at today's version, and its
 * content's digest.
 */
export interface TableEvent<T extends EventType = EventType> {
  readonly type: T;
  readonly source: string;
  readonly id: string;
  /** The source's own clock, RFC 3339 as sent. */
  readonly time: string;
  readonly table: string;
  readonly shoe: string | undefined;
  readonly session: string | undefined;
  readonly sequence: number | undefined;
  readonly data: EventData[T];
  /**
   * A digest of the canonical line without stamps. Equal contents have equal digests. See
   * digest.ts.
   */
  readonly digest: number;
  /** Where its line is in its log, as the receipt said. It is kept, and nothing is judged by it. */
  readonly position?: number | undefined;
}

/** An event of one known type. */
export type EventOf<T extends EventType> = TableEvent<T>;
/** Any event, discriminated by `type`. */
export type AnyEvent = { [T in EventType]: TableEvent<T> }[EventType];

/** Returns the string by which other events name this one. */
export const referenceOf = (event: { readonly source: string; readonly id: string }): string =>
  `${event.source}#${event.id}`;

/** What a data field may hold. validate.ts describes each kind in words. */
export type Field =
  | {
      readonly is:
        | 'id'
        | 'text'
        | 'amount'
        | 'ordinal'
        | 'total'
        | 'flag'
        | 'card'
        | 'card-or-unread'
        | 'count-or-unknown'
        | 'cards';
    }
  | { readonly is: 'rules' | 'bet' | 'currency' | 'names' | 'limits' | 'object' | 'code' }
  | { readonly is: 'remark' | 'time' | 'digest' | 'policy' }
  | { readonly is: 'whole'; readonly from: number; readonly to: number }
  | { readonly is: 'one-of'; readonly values: readonly (string | null)[] }
  | { readonly is: 'some-of'; readonly values: readonly string[] };

const oneOf = <V extends string | null>(...values: V[]) => ({ is: 'one-of', values }) as const;
const id = { is: 'id' } as const;
const text = { is: 'text' } as const;
const amount = { is: 'amount' } as const;
const ordinal = { is: 'ordinal' } as const;
const total = { is: 'total' } as const;
const hand = oneOf('player', 'banker');
const stake = { seat: ordinal, bet: { is: 'bet' }, amount } as const;
const note = { firmware: text, code: { is: 'code' }, text, by: id, lastSequence: amount } as const;
const duty = { dealer: id, role: oneOf('dealer', 'caller') } as const;
const call = { reason: text, video: text } as const;
const values = { is: 'object' } as const;
const ofSession = { account: id, session: id } as const;
const remark = { is: 'remark' } as const;
const time = { is: 'time' } as const;
const digest = { is: 'digest' } as const;
const ofFinding = { finding: id, as: oneOf(...REVIEW_ROLES) } as const;
const footage = { from: time, to: time } as const;
/** What the types of acts on a finding have in common. */
const review = { shoe: false, by: 'reviewer' } as const;
const optionalNote = ['firmware', 'code', 'text', 'by', 'lastSequence'] as const;

/**
 * What an event type carries: its fields in canonical order, the optional ones, and whether it must
 * name a shoe. `by`: who alone may write it; without it, any sender whose token allows the type.
 * The api and the sealer write their own types to the table `HOUSE_TABLE`. The api writes those of
 * a reviewer to the table of the finding, when the person asks it to; they name no shoe and have
 * no number.
 */
export interface Shape<T extends EventType> {
  readonly shoe: boolean;
  readonly by?: 'auditor' | 'api' | 'reviewer' | 'sealer';
  readonly fields: { readonly [field in keyof Required<EventData[T]>]: Field };
  readonly optional: readonly (keyof EventData[T] & string)[];
}

/**
 * Contract section 2 as data. The validator, the canonical form and the scanner's tests all derive
 * from this table.
 */
export const SHAPES: { readonly [T in EventType]: Shape<T> } = {
  'shoe-opened': {
    shoe: true,
    fields: {
      rules: { is: 'rules' },
      decks: ordinal,
      kind: oneOf('physical', 'virtual'),
      currency: { is: 'currency' },
      reports: { is: 'some-of', values: REPORTS },
      limits: { is: 'limits' },
      rulesHash: text,
      commitment: text,
    },
    optional: ['limits', 'rulesHash', 'commitment'],
  },
  'cut-card-drawn': { shoe: true, fields: {}, optional: [] },
  'shoe-closed': {
    shoe: true,
    fields: {
      reason: oneOf('cut-card', 'operator', 'error', 'end'),
      remaining: amount,
      remainingCards: { is: 'cards' },
      reveal: text,
    },
    optional: ['reason', 'remaining', 'remainingCards', 'reveal'],
  },
  'coup-opened': {
    shoe: true,
    fields: { coup: ordinal, kind: oneOf('normal', 'dummy', 'demonstration', 'free') },
    optional: ['kind'],
  },
  'bet-placed': { shoe: true, fields: stake, optional: [] },
  'bet-withdrawn': { shoe: true, fields: stake, optional: [] },
  'betting-closed': { shoe: true, fields: {}, optional: [] },
  'card-drawn': {
    shoe: true,
    fields: {
      card: { is: 'card-or-unread' },
      to: oneOf('player', 'banker', 'burn', 'out', null),
      exposed: { is: 'flag' },
    },
    optional: ['exposed'],
  },
  'card-moved': {
    shoe: true,
    fields: {
      event: id,
      to: oneOf('player', 'banker', 'burn', 'discard', 'next'),
      by: id,
      reason: text,
    },
    optional: ['by', 'reason'],
  },
  'hand-called': { shoe: true, fields: { hand, total }, optional: [] },
  'outcome-declared': {
    shoe: true,
    fields: {
      outcome: oneOf('player', 'banker', 'tie'),
      player: total,
      banker: total,
      specials: { is: 'names' },
      by: oneOf('dealer', 'device'),
    },
    optional: ['player', 'banker', 'specials'],
  },
  'bet-settled': {
    shoe: true,
    fields: {
      seat: ordinal,
      bet: { is: 'bet' },
      stake: oneOf('returned', 'taken'),
      paid: amount,
      commissionTaken: amount,
      commissionMarked: amount,
    },
    optional: ['commissionTaken', 'commissionMarked'],
  },
  'commission-collected': { shoe: true, fields: { seat: ordinal, amount }, optional: [] },
  'commission-waived': {
    shoe: true,
    fields: { seat: ordinal, amount, by: id, reason: text },
    optional: ['by', 'reason'],
  },
  'seat-left': { shoe: true, fields: { seat: ordinal }, optional: [] },
  'coup-closed': { shoe: true, fields: {}, optional: [] },
  'coup-voided': {
    shoe: true,
    fields: { coup: ordinal, reason: text, by: id },
    optional: ['coup', 'reason', 'by'],
  },
  'dealer-signed-on': { shoe: false, fields: duty, optional: [] },
  'dealer-relieved': { shoe: false, fields: duty, optional: [] },
  'supervisor-called': { shoe: false, fields: call, optional: ['reason', 'video'] },
  'surveillance-notified': { shoe: false, fields: call, optional: ['reason', 'video'] },
  'observation-corrected': {
    shoe: false,
    fields: { event: id, data: { is: 'object' }, by: id, reason: text },
    optional: ['by', 'reason'],
  },
  'device-online': {
    shoe: false,
    fields: { ...note, missed: { is: 'count-or-unknown' }, unit: text },
    optional: [...optionalNote, 'missed', 'unit'],
  },
  'device-offline': { shoe: false, fields: note, optional: optionalNote },
  'device-error': { shoe: false, fields: note, optional: optionalNote },
  'device-error-cleared': { shoe: false, fields: note, optional: optionalNote },
  'device-setting-changed': { shoe: false, fields: note, optional: optionalNote },
  'gap-declared': {
    shoe: false,
    by: 'auditor',
    fields: { source: id, session: id, from: ordinal, to: ordinal },
    optional: [],
  },
  'server-started': {
    shoe: false,
    by: 'api',
    fields: { version: text, rules: values, policy: values, settings: values },
    optional: ['policy'],
  },
  'person-signed-in': {
    shoe: false,
    by: 'api',
    fields: { ...ofSession, address: text },
    optional: [],
  },
  'person-sign-in-failed': {
    shoe: false,
    by: 'api',
    fields: { account: id, address: text, attempts: ordinal },
    optional: ['account'],
  },
  'person-signed-out': { shoe: false, by: 'api', fields: ofSession, optional: [] },
  'person-session-ended': { shoe: false, by: 'api', fields: ofSession, optional: [] },
  'account-created': { shoe: false, by: 'api', fields: { account: id, values }, optional: [] },
  'account-changed': {
    shoe: false,
    by: 'api',
    fields: { account: id, changes: values },
    optional: [],
  },
  'key-created': { shoe: false, by: 'api', fields: { key: id, values }, optional: [] },
  'key-revoked': { shoe: false, by: 'api', fields: { key: id }, optional: [] },
  'record-read': {
    shoe: false,
    by: 'api',
    fields: {
      record: text,
      filter: values,
      format: oneOf('json', 'csv', 'xlsx', 'ndjson'),
      times: ordinal,
    },
    optional: [],
  },
  'parked-decided': {
    shoe: false,
    by: 'api',
    fields: { parked: id, decision: oneOf('retry', 'release') },
    optional: [],
  },
  'partition-resumed': { shoe: false, by: 'api', fields: { partition: amount }, optional: [] },
  'record-passed': {
    shoe: false,
    by: 'api',
    fields: {
      partition: amount,
      offset: amount,
      sha256: digest,
      size: amount,
      key: text,
      fault: text,
      reason: remark,
    },
    optional: [],
  },
  'export-requested': {
    shoe: false,
    by: 'api',
    fields: { export: id, scope: values, purpose: remark, recipient: remark, options: values },
    optional: ['options'],
  },
  'export-made': {
    shoe: false,
    by: 'api',
    fields: {
      export: id,
      package: text,
      sha256: digest,
      size: amount,
      checkpoint: ordinal,
      records: amount,
      warnings: { is: 'names' },
    },
    optional: [],
  },
  'export-downloaded': {
    shoe: false,
    by: 'api',
    fields: { export: id, sha256: digest },
    optional: [],
  },
  'export-failed': {
    shoe: false,
    by: 'api',
    fields: { export: id, code: text, detail: remark },
    optional: [],
  },
  'export-removed': { shoe: false, by: 'api', fields: { export: id }, optional: [] },
  'evidence-alarm': {
    shoe: false,
    by: 'sealer',
    fields: {
      alarm: oneOf(...EVIDENCE_ALARMS),
      detail: remark,
      of: text,
      record: amount,
      partition: amount,
      offset: amount,
      line: ordinal,
      sealed: digest,
      found: digest,
    },
    optional: ['of', 'record', 'partition', 'offset', 'line', 'sealed', 'found'],
  },
  'evidence-resumed': {
    shoe: false,
    by: 'sealer',
    fields: { partition: amount, offset: amount, reason: remark },
    optional: [],
  },
  'evidence-keys-changed': {
    shoe: false,
    by: 'sealer',
    fields: { statement: amount, changes: values, reason: remark },
    optional: ['reason'],
  },
  'finding-viewed': { ...review, fields: ofFinding, optional: [] },
  'finding-claimed': {
    ...review,
    fields: { ...ofFinding, lease: { is: 'whole', from: 60, to: 3600 } },
    optional: [],
  },
  'finding-released': { ...review, fields: ofFinding, optional: [] },
  'finding-commented': {
    ...review,
    fields: { ...ofFinding, text: remark, video: remark },
    optional: ['video'],
  },
  'finding-video-attached': {
    ...review,
    fields: { ...ofFinding, video: remark, ...footage },
    optional: ['from', 'to'],
  },
  'finding-video-hold-requested': {
    ...review,
    fields: { ...ofFinding, ...footage, camera: remark, reason: remark },
    optional: ['camera', 'reason'],
  },
  'finding-video-held': {
    ...review,
    fields: { ...ofFinding, request: id, until: time, video: remark },
    optional: ['video'],
  },
  'finding-ruling-proposed': {
    ...review,
    fields: {
      ...ofFinding,
      disposition: oneOf(...DISPOSITIONS),
      policy: { is: 'policy' },
      evidence: digest,
      note: remark,
      amount,
      favours: oneOf('house', 'patron'),
      video: remark,
      batch: id,
    },
    optional: ['note', 'amount', 'favours', 'video', 'batch'],
  },
  'finding-ruling-signed': {
    ...review,
    fields: { ...ofFinding, proposal: id, evidence: digest, note: remark, confirmed: time },
    optional: ['note', 'confirmed'],
  },
  'finding-ruling-refused': {
    ...review,
    fields: { ...ofFinding, proposal: id, reason: remark },
    optional: [],
  },
  'finding-ruling-taken-back': {
    ...review,
    fields: { ...ofFinding, proposal: id, reason: remark },
    optional: ['reason'],
  },
  'finding-escalated': {
    ...review,
    fields: { ...ofFinding, to: oneOf(...REVIEWER_ROLES), reason: remark },
    optional: [],
  },
  'finding-reopened': {
    ...review,
    fields: { ...ofFinding, ruling: id, reason: remark },
    optional: [],
  },
};

/** Every event type, in the order of the contract. */
export const EVENT_TYPES = Object.keys(SHAPES) as EventType[];

/** The types of what a person does about a finding. */
export type ReviewType = Extract<EventType, `finding-${string}`>;
/** The types of what a person does about a finding, in the order of the contract. */
export const REVIEW_TYPES = EVENT_TYPES.filter(
  (type): type is ReviewType => SHAPES[type].by === 'reviewer',
);
/** What a person did about a finding. */
export type ReviewEvent = { [T in ReviewType]: EventOf<T> }[ReviewType];

/** Returns whether an event is what a person did about a finding. No shoe holds it. */
export const isReview = (event: AnyEvent): event is ReviewEvent => isReviewType(event.type);
/** Returns whether events of a type are what a person did about a finding. */
export const isReviewType = (type: EventType): boolean => REVIEWS.has(type);
/** Looking here costs less than finding the shape of each event. */
const REVIEWS: ReadonlySet<EventType> = new Set(REVIEW_TYPES);

/** The types that a sender may write. The auditor and the api write the others. */
export const SENT_TYPES: readonly EventType[] = EVENT_TYPES.filter(
  (type) => SHAPES[type].by === undefined,
);

/** The table of the record of the house: what belongs to no table. Only our own programs write to it. */
export const HOUSE_TABLE = '@house';

/** Returns whether an event is an act in the house, which is recorded and nobody judges. */
export const isOfHouse = ({ type }: { readonly type: EventType }): boolean =>
  SHAPES[type].by === 'api' || SHAPES[type].by === 'sealer';
