import type { Action, Card, Irregularity, Rules } from '#baccarat';
import type { AdmissionState } from './admission/admission.js';
import type { Sha256 } from './findings/ids.js';
import type { FindingCode } from './findings/catalogue.js';
import type { Finding, Found, Gap, NotJudged, Unjudgeable } from './findings/finding.js';
import type { AnyEvent, CoupKind, EventOf, Hand, Report } from './events/events.js';

/** The version of the fold's verdicts and of what it saves; state of another version is rebuilt, never read. */
export const FOLD_VERSION = 2;

/** A seat's commission in one shoe, in minor units: outstanding = marked - collected - waived. */
export interface LedgerRow {
  readonly table: string;
  readonly shoe: string;
  readonly seat: number;
  readonly due: number;
  readonly taken: number;
  readonly marked: number;
  readonly collected: number;
  readonly waived: number;
  readonly outstanding: number;
}

/** What a seat's ledger line is kept from. */
export interface Account {
  due: number;
  taken: number;
  marked: number;
  collected: number;
  waived: number;
}

/** Commission that entered a shoe's ledger through no coup: collected, waived, or settled before there was any. */
interface Taking {
  readonly seat: number;
  /** Who was on duty in the shoe, and the time of the event. */
  readonly dealer: string | null;
  readonly time: string;
  readonly amounts: Partial<Account>;
}

/** A shoe in one line. */
export interface ShoeRow {
  readonly table: string;
  readonly shoe: string;
  readonly rules: string;
  readonly decks: number;
  readonly coups: number;
  readonly cards: number;
  readonly closed: boolean;
}

/** A coup as it was dealt: what a person needs to see it again. */
export interface CoupRow {
  readonly table: string;
  readonly shoe: string;
  readonly coup: number;
  /** The reference of its opening. */
  readonly ref: string;
  readonly kind: CoupKind;
  readonly void: boolean;
  readonly cards: readonly {
    readonly ref: string;
    readonly card: Card | null;
    readonly to: Place;
    readonly moved: boolean;
    readonly exposed: boolean;
    readonly carried: boolean;
  }[];
  readonly declared: readonly { readonly outcome: string; readonly by: string }[];
  readonly outcome: string | null;
}

/** The shoe and the coup that a finding is about, each by the reference of its opening; null where it is about none. */
interface FindingPlace {
  readonly shoeRef: string | null;
  readonly coupRef: string | null;
  /** The reference of the event that raised it. */
  readonly raisedBy: string;
}

/** What one event led to, in order. */
export type Consequence =
  | (FindingPlace & { readonly is: 'raised' | 'amended'; readonly finding: Finding })
  | (FindingPlace & {
      readonly is: 'withdrawn';
      readonly finding: Finding;
      readonly because: string;
    })
  | {
      readonly is: 'unjudgeable';
      readonly shoeRef: string;
      readonly coupRef: string | null;
      readonly key: string;
      readonly entry: Unjudgeable;
    }
  | { readonly is: 'judgeable'; readonly shoeRef: string; readonly key: string }
  /** A coup came to its end, or its record changed. `row` is drawn when asked for, as the coup then stands. */
  | { readonly is: 'coup'; readonly ref: string; readonly shoe: string; readonly row: CoupRow }
  | { readonly is: 'ledger'; readonly row: LedgerRow }
  | { readonly is: 'shoe'; readonly row: ShoeRow; readonly shoe: Shoe };

/** Where a card lies: on a hand, burned, discarded, carried over to the next coup, or nowhere known. */
export type Place = Hand | 'burn' | 'discard' | 'next' | null;

/** A card drawn from the shoe. */
export interface Laid {
  readonly event: EventOf<'card-drawn'>;
  readonly card: Card | null;
  /** What it counts, -1 unread. */
  readonly value: number;
  readonly exposed: boolean;
  place: Place;
  /** Its number among the coup's game cards, from 0; -1 for a card that never was one. */
  ordinal: number;
  /** When it came to lie where it lies: greater is later. */
  serial: number;
  moved: boolean;
  carried: boolean;
}

/** A placement or withdrawal, and what is known of its time. */
export interface BetMove {
  readonly event: EventOf<'bet-placed'> | EventOf<'bet-withdrawn'>;
  readonly afterFirstCard: boolean;
  late: boolean;
}

/** A seat's bet in one coup with what was done about it. */
export interface Wager {
  readonly seat: number;
  readonly bet: string;
  readonly moves: BetMove[];
  readonly settlements: EventOf<'bet-settled'>[];
}

export interface Declaration {
  readonly event: EventOf<'outcome-declared'>;
  /** The coup's `handVersion` when it was declared. */
  readonly handVersion: number;
}

export interface Coup {
  readonly opening: EventOf<'coup-opened'>;
  readonly ref: string;
  readonly number: number;
  readonly kind: CoupKind;
  /** Its place in the shoe's journal: from its opening up to its end. */
  readonly from: number;
  to: number;
  state: 'open' | 'over' | 'void';
  /** The gap that hid a part of it. */
  gapped: boolean;
  /** It had a hand of fewer than two cards when its outcome was declared or it ended. */
  short: boolean;
  /** A card whose hand cannot be known lies in it. */
  unplaced: boolean;
  /** Game cards in the order drawn, excess cards after them where they came. */
  readonly cards: Laid[];
  readonly player: Laid[];
  readonly banker: Laid[];
  ordinals: number;
  serials: number;
  /** Turns with every draw to a hand and every move of its cards. */
  handVersion: number;
  /** Drawing codes raised, as bits of `draws.ts`. */
  drawCodes: number;
  readonly dealers: string[];
  withoutDealer: boolean;
  bettingClosed: AnyEvent | null;
  /** The first game card that was not carried over. */
  firstCard: Laid | null;
  readonly wagers: Wager[];
  readonly declarations: Declaration[];
  outcomeAt: AnyEvent | null;
  /** What this coup put into the ledger. */
  readonly entries: { seat: number; due: number; readonly taken: number; marked: number }[];
  /** Stakes are to be returned before the next opening. */
  owesReturn: boolean;
  correctedToDummy: boolean;
}

/** A prescribed disposition that has not been shown yet. */
export interface Obligation {
  readonly finding: string;
  readonly code: FindingCode;
  readonly coup: Coup | null;
  readonly card: Laid | null;
  readonly entry: Irregularity;
  readonly done: Set<Action>;
  open: boolean;
}

/** A hole in a source's numbers, where it lies in the journal; with what came too late. */
export interface GapMark extends Gap {
  readonly type: 'gap';
  /** Whether the source is one that draws cards. */
  readonly ofCards: boolean;
  /** The event before which the numbers are missing. */
  readonly after: string;
  /** The journal place of the source's last event before the hole, -1 where that was before this shoe. */
  readonly since: number;
  readonly late: AnyEvent[];
  /** Whether DV-04 is raised here; the mark of the same hole in the shoe before raises none. */
  readonly raises: boolean;
}

export type Entry = AnyEvent | GapMark;
export interface Duty {
  dealer: string | null;
  caller: string | null;
}

/** A shoe with all that the open shoe and the one before are held ready for: corrections, moves, voids, late money. */
export interface Shoe {
  readonly table: string;
  readonly name: string;
  readonly opening: EventOf<'shoe-opened'>;
  readonly ref: string;
  readonly rules: Rules;
  /** Makes the ids of its findings. */
  readonly sha256: Sha256;
  readonly decks: number;
  readonly currency: string;
  readonly reports: Readonly<Record<Report, boolean>>;
  /** Who was on duty when it opened; who is now. */
  readonly dutyAtOpening: Readonly<Duty>;
  readonly duty: Duty;
  readonly journal: Entry[];
  closed: boolean;
  /** The rest is what the journal comes to; it is never saved. */
  readonly news: Consequence[];
  readonly found: Map<string, Found>;
  readonly unjudgeable: Map<string, NotJudged>;
  /** What is folded now: it raises whatever is raised. */
  cause: Entry;
  readonly coups: Coup[];
  coup: Coup | null;
  lastNumber: number;
  /** Copies seen of each card, by its place in `CARDS`. */
  readonly copies: number[];
  drawn: number;
  unread: number;
  readonly burned: Laid[];
  readonly loose: Laid[];
  readonly carried: Laid[];
  readonly betweenCoups: (
    EventOf<'bet-placed'> | EventOf<'bet-withdrawn'> | EventOf<'betting-closed'>
  )[];
  /** Coups that owe a return of stakes. */
  owing: number;
  coupsLeft: number | null;
  cardsLost: boolean;
  burnsLost: boolean;
  readonly ledger: Map<number, Account>;
  /** What entered the ledger through no coup, and who was on duty. */
  readonly takings: Taking[];
  readonly obligations: Obligation[];
  readonly dealersOfShoe: string[];
}

/** All that the fold keeps of one table. */
export interface TableState {
  readonly foldVersion: number;
  readonly table: string;
  readonly admission: AdmissionState;
  readonly duty: Duty;
  /** Ids of the last shoes, oldest first. */
  readonly shoes: string[];
  /** Sources that have drawn cards here, latest first. */
  readonly cardSources: string[];
  open: Shoe | null;
  before: Shoe | null;
  /** Findings about no shoe that is held: kept so that they are raised once. */
  readonly foundOutside: Map<string, Found>;
}
