import type { Action } from '#baccarat';
import type { Hand } from '../events/events.js';
import type { FindingCode, Severity } from './catalogue.js';

/** The money that a fault moved, and whom it favored. */
export interface Impact {
  readonly amount: number;
  readonly currency: string;
  readonly favours: 'house' | 'patron';
}

/** The known slips that explain a wrong payment. */
export const SLIPS = [
  'odds-read-as-for',
  'wrong-tier',
  'commission-netted',
  'wrong-rounding',
  'stake-counted-as-winnings',
] as const;
/** One of `SLIPS`. */
export type Slip = (typeof SLIPS)[number];

/** Numbers of a device's session that never came in time. */
export interface Gap {
  readonly source: string;
  readonly session: string;
  /** 1, and greater each time the device restarts the session. */
  readonly boot: number;
  readonly from: number;
  readonly to: number;
}

/** A time in which a source may have missed what happened at its table. */
export interface Outage {
  readonly source: string;
  /** The reference of the event that showed it: the source went offline, or came online again. */
  readonly event: string;
  /** How many messages the source says that it missed; null if it does not know. */
  readonly says: number | null | 'offline';
}

/** What may be missing from the record: numbers that never came, or all of an outage. */
export type Missing = Gap | Outage;

/** Returns whether something is missing because of an outage. */
export const isOutage = (missing: Missing): missing is Outage => 'event' in missing;

/** Returns whether the same is missing. */
export const isSameMissing = (a: Missing | undefined, b: Missing): boolean =>
  a !== undefined && JSON.stringify(partsOf(a)) === JSON.stringify(partsOf(b));

/** Returns what distinguishes something that is missing from everything else that is. */
export const partsOf = (missing: Missing): readonly (string | number)[] =>
  isOutage(missing)
    ? [missing.source, missing.event]
    : [missing.source, missing.session, missing.boot, missing.from, missing.to];

/** The number, or the id of an event without one, under which two contents were sent. */
type Repeat =
  | { readonly source: string; readonly session: string; readonly sequence: number }
  | { readonly source: string; readonly id: string };

/** What the rule document prescribes about a finding. */
export interface Disposition {
  readonly do: readonly Action[];
  readonly source: string;
  readonly section: string;
}

/** One thing that was wrong (contract section 4). */
export interface Finding {
  readonly id: string;
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly table: string;
  readonly shoe: string;
  readonly coup?: number;
  /** The references of the openings of its shoe and of its coup. */
  readonly shoeRef?: string;
  readonly coupRef?: string;
  /** If it is about one seat's money. */
  readonly seat?: number;
  readonly bet?: string;
  /** The hand that was called wrong, or that got a fourth card. */
  readonly hand?: Hand;
  /** Who declared two outcomes. */
  readonly by?: 'dealer' | 'device';
  /** The reference of the one event that it is about. */
  readonly event?: string;
  /** The hole in a device's numbers that it is about. */
  readonly gap?: Gap;
  /** The number or id that was sent again with another content. */
  readonly repeat?: Repeat;
  /** The id of the finding whose prescribed disposition was not made. */
  readonly irregularity?: string;
  readonly rules: string;
  readonly events: readonly string[];
  readonly expected: string;
  readonly observed: string;
  readonly explainedBy?: Slip;
  readonly impact?: Impact;
  readonly disposition?: Disposition;
  readonly void: boolean;
  readonly remedied: boolean;
  readonly message: string;
}

/** What could not be judged, where, and why. */
export interface Unjudgeable {
  readonly table: string;
  readonly shoe: string;
  readonly coup?: number;
  readonly codes: readonly FindingCode[];
  readonly events: readonly string[];
  readonly why: string;
}

/** Why something could not be judged. */
export type Cause =
  | { readonly is: 'card-unread' }
  | { readonly is: 'too-close' }
  | { readonly is: 'gap'; readonly gap: Missing };

/** A card could not be read. */
export const UNREAD: Cause = { is: 'card-unread' };
/** The clocks of two sources are too close to tell their order. */
export const TOO_CLOSE: Cause = { is: 'too-close' };

/** Returns the numbers of a gap in words. */
export const numbersText = ({ from, to }: Pick<Gap, 'from' | 'to'>): string =>
  from === to ? `number ${from}` : `numbers ${from} to ${to}`;

/** Returns a cause in words. */
export function causeText(cause: Cause): string {
  switch (cause.is) {
    case 'card-unread':
      return 'a card could not be read';
    case 'too-close':
      return 'the clocks of two sources are too close to call';
    case 'gap': {
      const { gap } = cause;
      if (isOutage(gap)) return `${gap.source} may have missed what happened at the table`;
      return `${numbersText(gap)} of ${gap.source}, session ${gap.session}, never came`;
    }
  }
}

/** When a finding was raised, by the time of an event, and the dealer who was then on duty. */
export interface RaisedWhen {
  readonly time: string;
  readonly dealer: string | null;
}

/** What the fold keeps of a finding. */
export interface Found {
  finding: Finding;
  /** The coup that it is about, by the reference of its opening. */
  readonly coup: string | null;
  /** The reference of the event that raised it. */
  readonly raisedBy: string;
  /** Set if the event that raised it is in no journal. */
  readonly raised?: RaisedWhen;
  /** Set if it is about no shoe within reach: how many events of the table had been admitted. */
  readonly admitted?: number;
}

/** What the fold keeps of something that could not be judged. */
export interface NotJudged {
  /** The coup that it is about, by the reference of its opening. */
  readonly coup: string | null;
  readonly entry: Unjudgeable;
}
