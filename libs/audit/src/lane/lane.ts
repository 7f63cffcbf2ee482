import { CONTENTS_MAX, type Session } from '../admission/admission.js';
import { canRemember, digestUnder } from '../admission/ids-in-reach.js';
import { hearOf } from '../admission/sources.js';
import type { Line } from '../decode/line.js';
import type { Scanner } from '../decode/scan.js';
import {
  HOUSE_TABLE,
  isReview,
  referenceOf,
  type AnyEvent,
  type EventType,
} from '../events/events.js';
import type { HeadNames } from '../events/names.js';
import type { DayOf } from '../rows/play-sums.js';
import type { Duty, Receipt, Shoe, TableState } from '../state.js';
import { catchUp } from './catch-up.js';
import { RuleTables } from './rule-tables.js';
import { ShoeLane } from './shoe-lane.js';

/**
 * How lines are folded: `on`, by the lane if it can and else by the explaining path; `off`, by the
 * explaining path alone.
 */
export type LaneSetting = 'off' | 'on';

/** How many events went which way. */
export interface LaneCounts {
  /** Events that the lane took. */
  lane: number;
  /** Of these: events that the fold stepped through later. */
  again: number;
}

/** After this many falls in a shoe, the lane stays away for no longer than after the one before. */
const FALLS_MAX = 6;

/** These reach back to the shoe before the open one. */
const BACK: ReadonlySet<EventType> = new Set([
  'observation-corrected',
  'device-online',
  'device-offline',
]);

/**
 * The lane of a table: takes lines of lawful play from their bytes, without events, and keeps them
 * for the fold to step through if somebody needs that. It admits as the fold does, on the same
 * state. Everything else is explained by the fold, once it has caught up.
 */
export class Lane {
  readonly counts: LaneCounts = { lane: 0, again: 0 };
  /** The lane of the open shoe while the lane takes events. */
  private shoe: ShoeLane | null = null;
  /** Of the open shoe: how often events were explained and its lines stepped through. */
  private fallsOf: Shoe['ref'] | null = null;
  private falls = 0;
  /** The lane stays away until so many coups of the shoe were opened. */
  private backAt = 0;

  /** The last one, which takes no more lines once there is another. */
  private last: ShoeLane | null = null;

  /** How the lane of a shoe is followed. */
  private following: ((shoe: ShoeLane) => void) | null = null;

  constructor(private readonly isOn: boolean) {}

  /**
   * Lets the lane follow what is on the rows of coups, from now on: its lines need not be read
   * again to draw them.
   */
  drawRows(): void {
    this.follow(readPlay);
  }

  /**
   * Lets the lane add up what coups come to, as they end, by the gaming day of an event's time. It
   * keeps no coups then, and their rows cannot be drawn.
   */
  addUp(dayOf: DayOf): void {
    this.follow((shoe) => {
      shoe.addUp(dayOf);
      readPlay(shoe);
    });
  }

  private follow(following: (shoe: ShoeLane) => void): void {
    this.following = following;
    if (this.shoe) following(this.shoe);
  }

  /** Takes a line if judging it has nothing to say. Else returns false, and changes nothing. */
  take(state: TableState, line: Line, receipt: Receipt): boolean {
    const shoe = this.shoe ?? this.comeBack(state);
    if (shoe === null || !shoe.tail.takesFrom(line.decoder)) return false;
    const scanner = line.decoder.scanned(line.block, line.from, line.to);
    if (scanner?.origin.table !== state.table || state.desk.watched.size > 0) return false;
    const taken =
      scanner.sequence > 0
        ? this.takeNumber(state, scanner, shoe, receipt)
        : this.takeId(state, scanner, shoe, receipt);
    if (taken === EXPLAIN) return false;
    state.desk.behind = null;
    const { counts } = state.admission;
    counts.read += 1;
    this.counts.lane += 1;
    if (taken === REPEAT) counts.duplicates += 1;
    else {
      counts.admitted += 1;
      hearOf(state.sources, scanner.origin.source, scanner.messages, counts.admitted);
      shoe.add(line, scanner, receipt);
    }
    return true;
  }

  private takeNumber(
    { admission: { sessions }, duty }: TableState,
    scanner: Scanner,
    shoe: ShoeLane,
    receipt: Receipt,
  ): Taken {
    const { sequence, origin } = scanner;
    const at = indexOf(sessions, origin);
    const session = sessions[at];
    if (!session || sequence > session.next) return EXPLAIN;
    if (sequence < session.next) {
      if (!isRepeat(session, scanner)) return EXPLAIN;
      if (at > 0) toFront(sessions, at);
      return REPEAT;
    }
    if (!isLawful(shoe, scanner, duty, receipt)) return EXPLAIN;
    if (at > 0) toFront(sessions, at);
    session.digests[sequence % CONTENTS_MAX] = scanner.digest();
    session.next = sequence + 1;
    return NEW;
  }

  private takeId(
    { admission, duty }: TableState,
    scanner: Scanner,
    shoe: ShoeLane,
    receipt: Receipt,
  ): Taken {
    const reference = referenceOf({ source: scanner.origin.source, id: scanner.id() });
    const known = digestUnder(admission, reference);
    const digest = scanner.digest();
    if (known !== undefined) return known === digest ? REPEAT : EXPLAIN;
    if (!canRemember(admission) || !isLawful(shoe, scanner, duty, receipt)) return EXPLAIN;
    admission.ids.set(reference, digest);
    return NEW;
  }

  /** Returns the lane of the open shoe if that is between two coups with nothing outstanding. */
  private comeBack(state: TableState): ShoeLane | null {
    const { open, before, admission, table } = state;
    if (!this.isOn || !open || open.coup || open.closed || admission.wait) return null;
    if (table === HOUSE_TABLE || !isSettled(open) || (before && before.owing > 0)) return null;
    if (this.fallsOf !== open.ref) {
      this.fallsOf = open.ref;
      this.falls = 0;
      this.backAt = 0;
    }
    if (open.coups.length < this.backAt || RuleTables.of(open.rules).hasChoice) return null;
    this.last?.tail.trim();
    const shoe = new ShoeLane(open);
    this.following?.(shoe);
    this.shoe = this.last = open.lane = shoe;
    return shoe;
  }

  /** Goes on with the lane of a shoe that was loaded. */
  resume(shoe: ShoeLane): void {
    this.last = shoe;
    if (this.isOn) this.shoe = shoe;
  }

  /** Lets the shoes within reach catch up, because an event is explained that may need them. */
  explain(state: TableState, event: AnyEvent): void {
    const { open, before } = state;
    if (isReview(event)) return this.review(state, event.data.finding);
    this.shoe = null;
    if (!open?.lane?.isAhead && !before?.lane?.isAhead) return;
    if (before && reachesBefore(state, before, event)) this.catchUpWith(before);
    const isLeft = open?.closed === true && event.type === 'shoe-opened' && isInTurn(state, event);
    if (open && !isLeft) this.fall(open);
  }

  /** A review is about a finding, whose evidence lies in its shoe. It changes nothing in play. */
  private review(state: TableState, finding: string): void {
    const item = state.desk.items.get(finding);
    if (item && item.people === null) this.catchUp(state);
  }

  private fall(open: Shoe): void {
    if (this.catchUpWith(open) === 0) return;
    this.falls = Math.min(this.falls + 1, FALLS_MAX);
    if (this.falls > 1) this.backAt = open.coups.length + 2 ** (this.falls - 1);
  }

  /** Lets the shoes within reach catch up, because somebody looks at them. */
  catchUp({ before, open }: TableState): void {
    if (before) this.catchUpWith(before);
    if (open) this.catchUpWith(open);
  }

  private catchUpWith({ lane }: Shoe): number {
    if (!lane?.isAhead) return 0;
    const lines = catchUp(lane);
    if (this.shoe === lane) this.shoe = null; // it comes back between two coups
    this.counts.again += lines;
    return lines;
  }
}

const readPlay = ({ play, tail }: ShoeLane): void => play.read(tail.count);

/** What becomes of an event: it is lawful and new, it repeats one, or it must be explained. */
type Taken = 0 | 1 | 2;
const [EXPLAIN, NEW, REPEAT]: readonly [0, 1, 2] = [0, 1, 2];

/** Returns whether judging an event has nothing to say. Then the lane of the shoe has taken it. */
function isLawful(shoe: ShoeLane, scanner: Scanner, duty: Duty, receipt: Receipt): boolean {
  const { origin } = scanner;
  if (origin.shoe !== undefined && (origin.shoe !== shoe.shoe.name || shoe.isClosed)) return false;
  return shoe.take(scanner, duty, receipt);
}

/** Returns the index of a session; -1 if it is not remembered. A loop, because each event asks. */
function indexOf(sessions: readonly Session[], { source, session }: HeadNames): number {
  for (let i = 0; i < sessions.length; i += 1) {
    const known = sessions[i] as Session;
    if (known.session === session && known.source === source) return i;
  }
  return -1;
}

/** Returns whether nothing of a shoe is outstanding that could be due or found later. */
const isSettled = ({
  owing,
  carried,
  betweenCoups,
  obligations,
  away,
  openingLost,
  ahead,
}: Shoe): boolean =>
  owing + carried.length + betweenCoups.length + away.length === 0 &&
  openingLost === null &&
  ahead.between.length + ahead.after.length === 0 &&
  !obligations.some(({ open }) => open);

/** Returns whether a number that a session has passed comes again with the content admitted. */
function isRepeat({ next, digests }: Session, scanner: Scanner): boolean {
  const { sequence, type } = scanner;
  if (type === 'device-online') return false;
  if (sequence < next - CONTENTS_MAX) return true;
  return digests[sequence % CONTENTS_MAX] === scanner.digest();
}

function toFront(sessions: Session[], at: number): void {
  const session = sessions[at] as Session;
  for (let later = at; later > 0; later -= 1) sessions[later] = sessions[later - 1] as Session;
  sessions[0] = session;
}

/** Returns whether admission passes an event on at once: no number is missing, and it is new. */
function isInTurn({ admission }: TableState, event: AnyEvent): boolean {
  const { wait, sessions } = admission;
  if (wait || digestUnder(admission, referenceOf(event)) !== undefined) return false;
  const { sequence, source, session } = event;
  if (sequence === undefined) return true;
  const known = sessions.find((each) => each.session === session && each.source === source);
  return sequence === (known?.next ?? 1);
}

/** Returns whether explaining an event may need the shoe before the open one. */
function reachesBefore(state: TableState, before: Shoe, event: AnyEvent): boolean {
  const { desk } = state;
  if (!isInTurn(state, event) || BACK.has(event.type) || desk.watched.size > 0) return true;
  // the evidence of its findings is made when it goes out of reach, and that of a coup is complete
  if (event.type === 'shoe-opened')
    for (const { shoeRef, coupRef } of desk.items.values())
      if (shoeRef === before.ref && coupRef === null) return true;
  return event.shoe === before.name;
}
