import type { Action, Card, Irregularity, Rules } from '#baccarat';
import type { AdmissionState } from './admission/admission.js';
import type { Sha256Hex } from './findings/ids.js';
import type { FindingCode } from './findings/catalogue.js';
import type { ByCoup } from './findings/by-coup.js';
import type { MessageKind } from './admission/message-kinds.js';
import type { KnownSource } from './admission/sources.js';
import type { Readings } from './coup/readings/readings.js';
import type { Found, Missing, NotJudged, Outage, RaisedWhen } from './findings/finding.js';
import type { Lane } from './lane/lane.js';
import type { ShoeLane } from './lane/shoe-lane.js';
import type { SeatLedger } from './ledger/seat-ledger.js';
import type { Desk, ItemChange, ReviewChange } from './review/desk.js';
import type { AnyEvent, CoupKind, EventOf, Hand, Report } from './events/events.js';

/**
 * The version of the fold's verdicts and of the state that it saves. State of another version is
 * never read, but rebuilt.
 */
export const FOLD_VERSION = 20;

/** A seat's commission in one shoe, in minor units: outstanding = marked - collected - waived. */
export interface LedgerLine extends Readonly<SeatAccount> {
  readonly table: string;
  readonly shoe: string;
  readonly seat: number;
  readonly outstanding: number;
}

/** The amounts behind a seat's line of the ledger. */
export interface SeatAccount {
  due: number;
  taken: number;
  marked: number;
  collected: number;
  waived: number;
}

/**
 * Commission that entered a shoe's ledger without a coup: collected, waived, or settled before the
 * first coup.
 */
export interface Taking {
  readonly seat: number;
  /** Who was on duty in the shoe, and the time of the event. */
  readonly dealer: string | null;
  readonly time: string;
  readonly amounts: Partial<SeatAccount>;
}

/**
 * Where a card lies: on a hand, burned, discarded, carried over to the next coup, or nowhere known.
 */
export type Place = Hand | 'burn' | 'discard' | 'next' | null;

/** A card drawn from the shoe. */
export interface Laid {
  readonly event: EventOf<'card-drawn'>;
  readonly card: Card | null;
  /** Its point value; -1 if unread. */
  readonly value: number;
  readonly exposed: boolean;
  /** The index of its event in the order of play. */
  readonly at: number;
  place: Place;
  /** Its index among the coup's game cards; -1 for a card that never was one. */
  ordinal: number;
  /** Increases with each card that is laid: a greater one lies later. */
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

/** A seat's bet in one coup, with its moves and settlements. */
export interface Wager {
  readonly seat: number;
  readonly bet: string;
  readonly moves: BetMove[];
  readonly settlements: EventOf<'bet-settled'>[];
  /** One of its moves was too close to the closing of betting to call. */
  tooClose: boolean;
}

/** A declared outcome. */
interface Declaration {
  readonly event: EventOf<'outcome-declared'>;
  /** The coup's `handVersion` when it was declared. */
  readonly handVersion: number;
}

/** A coup and everything that its events did. */
export interface Coup {
  readonly opening: EventOf<'coup-opened'>;
  readonly ref: string;
  readonly number: number;
  readonly kind: CoupKind;
  /** Its place in the order of play: from its opening up to its end. */
  readonly from: number;
  to: number;
  state: 'open' | 'over' | 'void';
  /** What gaps hid of it, as bits of `LOSSES`. */
  lost: number;
  /** What may have hidden play of it, or a coup just before it; null if nothing did. */
  playLost: Missing | null;
  /** Whether the cut card showed in it before any of its game cards was seen. */
  showsCutCardFirst: boolean;
  /**
   * The sources that were offline when it opened. They may have drawn its cards, until a card of
   * another source shows that the coup was seen.
   */
  unseen: readonly Away[];
  /**
   * Whether it had a hand of fewer than two cards when its outcome was declared or it ended, in
   * some or all readings of its unread cards.
   */
  short: 'none' | 'some' | 'all';
  /** All readings of its unread cards, from the first that is laid until its end. */
  readings: Readings | null;
  /** Game cards in the order drawn, excess cards after them where they came. */
  readonly cards: Laid[];
  readonly player: Laid[];
  readonly banker: Laid[];
  ordinals: number;
  serials: number;
  /** Increases with every draw to a hand and every move of its cards. */
  handVersion: number;
  /** Drawing codes raised, as bits of `draws.ts`. */
  drawCodes: number;
  /** Everybody who was on duty in it, in order. */
  readonly dealers: string[];
  readonly callers: string[];
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
  /** The references of events outside its course that changed it. */
  readonly reachedBy: string[];
  /** The mark of its last change that was not taken yet; `UNCHANGED` if there is none. */
  changed: number;
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

/** Where something is missing from the journal, with what came too late. */
export interface GapMark {
  readonly type: 'gap';
  readonly missing: Missing;
  /** What the source had sent at the table. */
  readonly sent: readonly MessageKind[];
  /** Whether the event after it opens a coup. */
  readonly opensCoup: boolean;
  /** Whether that event is play in the shoe that was open, which therefore had not been closed. */
  readonly keepsShoe: boolean;
  /** The event before which it lies. */
  readonly after: string;
  readonly late: AnyEvent[];
  /**
   * What could not be judged about events that are in no journal: of an unknown shoe, whose opening
   * may lie in the hole, or corrections that change nothing.
   */
  readonly unrecorded: { readonly code: FindingCode; readonly events: readonly string[] }[];
  /** Whether DV-04 or DV-06 is raised here. The mark of the same in the shoe before raises nothing. */
  readonly raises: boolean;
}

/** A source that is offline and may draw cards meanwhile. */
export interface Away extends Outage {
  /** What the source had sent at the table. */
  readonly sent: readonly MessageKind[];
  /** The index, in the order of play, of its last event before; -1 if the shoe has none. */
  readonly since: number;
  /** Whether DV-06 was raised. It waits for a coup if no shoe was open. */
  readonly isRaised: boolean;
}

/** What a gap or an outage may hide of the next coup. */
export interface Ahead extends Pick<GapMark, 'missing' | 'sent' | 'after'> {
  /** The index, in the order of play, of the source's last event before; -1 if the shoe has none. */
  readonly since: number;
}

/** An entry of a shoe's journal. */
export type Entry = AnyEvent | GapMark;
/** Who is on duty at a table. */
export interface Duty {
  dealer: string | null;
  caller: string | null;
  /** What may have hidden a sign-on since the last one; null if nothing did. */
  lost: Missing | null;
}

/** The first entries of a list that only grows, so that it need not be copied. */
export interface Prefix {
  readonly list: readonly string[];
  readonly count: number;
}

/** What of a shoe decides, with the events that follow, how its play goes on. */
interface Progress {
  readonly duty: Readonly<Duty>;
  readonly lastNumber: number;
  readonly drawn: number;
  readonly coupsLeft: number | null;
  readonly lost: number;
  readonly hidden: number;
  readonly openingLost: Missing | null;
  readonly ahead: Shoe['ahead'];
  readonly away: Shoe['away'];
  readonly dealers: Prefix;
  readonly carried: readonly Laid[];
  readonly betweenCoups: Shoe['betweenCoups'];
}

/**
 * Where a shoe can be judged again from, with its state there: its start, the opening of each of
 * its coups and its closing, each when all before it is over. The play from one to the next is a
 * stretch, known by its index.
 */
export interface Checkpoint extends Progress {
  /** The index, in the order of play, of the event that begins its stretch. */
  readonly at: number;
  /** The first stretch that events of this one changed. */
  earliest: number;
  /** The last stretch whose events changed this one. */
  latest: number;
  /** What stretches add up to. */
  readonly copies: number[];
  unread: number;
  ledger: SeatLedger;
  /** How many of each list of the shoe came before. */
  takings: number;
  loose: number;
  balances: number;
}

/**
 * A shoe within reach: the open one or the one before, which corrections, moves, voids and late
 * money can still change.
 */
export interface Shoe {
  readonly table: string;
  readonly name: string;
  /** As it was last corrected. */
  readonly opening: EventOf<'shoe-opened'>;
  /** As it was recorded. */
  readonly recordedOpening: EventOf<'shoe-opened'>;
  readonly ref: string;
  readonly rules: Rules;
  /** Makes the ids of its findings. */
  readonly sha256: Sha256Hex;
  readonly decks: number;
  readonly currency: string;
  readonly reports: Readonly<Record<Report, boolean>>;
  /** Who was on duty when it opened; who is now. */
  readonly dutyAtOpening: Readonly<Duty>;
  readonly duty: Duty;
  /** The sources that were offline when it opened. */
  readonly awayAtOpening: readonly Away[];
  readonly journal: Entry[];
  closed: boolean;
  /**
   * Follows its lawful play ahead of it; null if it never did. What follows here is then as it was
   * when the shoe last caught up, except for `closed`.
   */
  lane: ShoeLane | null;
  /**
   * The journal in the order of play: late events that a correction has entered lie at the places
   * of their numbers. While there are none, this is the same list as `journal`. It and all that
   * follows here can be made from the journal, and is never saved.
   */
  played: Entry[];
  /** The corrected data of each corrected event, by its reference. */
  right: Map<string, Readonly<Record<string, unknown>>>;
  /** Indexes of `played` by the id of the event; null until it is worth making. */
  positions: Map<string, number> | null;
  /** How often an event was looked up by its reference before that. */
  searches: number;
  /** The indexes of the gaps in `played`. */
  gaps: number[];
  /** In order of play. */
  checkpoints: Checkpoint[];
  /** The stretch from which it is judged again; 0 otherwise. */
  resumedAt: number;
  changes: ShoeChanges;
  found: ByCoup<Found>;
  unjudgeable: ByCoup<NotJudged>;
  /** The entry that is folded now, and its index in `played`. It raises the findings that are raised. */
  cause: Entry;
  at: number;
  /** Set while the cause is an event that is in no journal: its time, and the dealer then. */
  unrecorded: RaisedWhen | null;
  coups: Coup[];
  coup: Coup | null;
  lastNumber: number;
  /** Copies seen of each card, by its place in `CARDS`. */
  readonly copies: number[];
  drawn: number;
  /** The cards drawn, in the order of play. */
  draws: Laid[];
  unread: number;
  burned: Laid[];
  loose: Laid[];
  readonly carried: Laid[];
  readonly betweenCoups: (
    EventOf<'bet-placed'> | EventOf<'bet-withdrawn'> | EventOf<'betting-closed'>
  )[];
  /** Coups that owe a return of stakes. */
  owing: number;
  coupsLeft: number | null;
  /** What gaps hid of the shoe as a whole, as bits of `LOSSES`. */
  lost: number;
  /** How many cards gaps may have hidden at most, as far as they say how many messages are missing. */
  hidden: number;
  /** Where the opening of a coup may have been lost, while no coup is open. */
  openingLost: Missing | null;
  /** What concerns the next coup as one between, and as the one after. */
  readonly ahead: { between: Ahead[]; after: Ahead[] };
  /** The sources that are offline. */
  away: readonly Away[];
  readonly ledger: SeatLedger;
  /** What entered the ledger through no coup, and who was on duty. */
  takings: Taking[];
  /**
   * Where what a seat owed decided something before the shoe closed: indexes of the order of play.
   */
  balances: { readonly at: number; readonly seat: number }[];
  readonly obligations: Obligation[];
  readonly dealersOfShoe: string[];
}

/** Where an event comes from. The rows that it changes carry this. */
export interface Receipt {
  /** The caller's mark: an increasing number, such as the event's position in its log. */
  readonly mark: number;
  /** When the event was received, RFC 3339; null if unknown. */
  readonly received: string | null;
  /** Where its line is in the log, as a number that the caller understands. */
  readonly position?: number;
}

/** The mark of what did not change. */
export const UNCHANGED = -1;

/** A finding that was raised, amended or withdrawn. */
export interface FindingChange {
  readonly found: Found;
  /** The reference of the event that withdrew it; null while it is in force. */
  readonly withdrawnBecause: string | null;
  /** When the event was received that raised it; null if it was only amended. */
  readonly received: string | null;
  readonly mark: number;
}

/**
 * What changed of a shoe since its changes were last taken. Each part has the mark of its last
 * change.
 */
export interface ShoeChanges {
  /** The table's, which know the event that is folded now. */
  readonly table: TableChanges;
  /** The mark of its opening; `UNCHANGED` if it was open before. */
  readonly opened: number;
  /** Of the shoe itself. */
  mark: number;
  /** Whether its ledger or what its coups add up to changed. */
  sums: boolean;
  /** The coup holds its mark. */
  readonly coups: Set<Coup>;
  /** Coups that a correction took off the record, by reference. */
  readonly gone: Map<string, { readonly coup: Coup; readonly mark: number }>;
  /** By id, in the order in which they were raised. */
  readonly findings: Map<string, FindingChange>;
  /** By key. */
  readonly unjudgeable: Map<string, number>;
}

/** What changed of a table since its changes were last taken. It is never saved. */
export interface TableChanges {
  /** The event that is folded now. */
  receipt: Receipt;
  /** Shoes that went out of reach. */
  readonly left: Shoe[];
  /** Shoes out of reach whose changes were taken, so that their rows may still be drawn. */
  readonly spent: Shoe[];
  /** Findings about no shoe within reach, by id. */
  readonly outside: Map<string, FindingChange>;
  /** What the event that is folded now did to findings, until the desk has taken it. */
  readonly news: { readonly found: Found; readonly isGone: boolean }[];
  /** What changed in reviews. */
  readonly reviews: ReviewChange[];
  /** The reviews that changed, by finding, as they are now. */
  readonly items: Map<string, ItemChange>;
}

/** All that the fold keeps of one table. */
export interface TableState {
  readonly foldVersion: number;
  readonly table: string;
  readonly admission: AdmissionState;
  readonly duty: Duty;
  /** Ids of the last shoes, oldest first. */
  readonly shoes: string[];
  /** What each source has sent here. */
  readonly sources: KnownSource[];
  /** What may have hidden the opening of a shoe since the last one; null if nothing did. */
  openingLost: Missing | null;
  open: Shoe | null;
  before: Shoe | null;
  /** Findings about no shoe that is held: kept so that they are raised once. */
  readonly foundOutside: Map<string, Found>;
  /** Where the review of its findings stands. */
  readonly desk: Desk;
  readonly changes: TableChanges;
  /**
   * Takes lawful play from lines ahead of the shoes. It is never saved; its lines are, with their
   * shoes.
   */
  readonly lane: Lane;
}
