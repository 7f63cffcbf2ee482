import {
  markCoup,
  markFinding,
  markReplaced,
  markShoe,
  markSums,
  markUnjudgeable,
} from '../changes.js';
import { recount } from '../coup/deal.js';
import { CATALOGUE } from '../findings/catalogue.js';
import { notJudgedKey } from '../findings/findings.js';
import { UNREAD, type Found, type NotJudged } from '../findings/finding.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { beginStretch, endStretch, step, type Beginning } from '../step.js';
import { UNCHANGED, type Checkpoint, type Coup, type GapMark, type Shoe } from '../state.js';
import {
  coupsBefore,
  isSameProgress,
  ReachesBack,
  resumed,
  shiftBetween,
  shiftSums,
  stretchAt,
  type Shift,
} from './checkpoint.js';
import { coupConcerned, isLateIn, positionOf } from './journal.js';
import { asLastCorrected, playAgain, recordCorrection, replay, type RuleBook } from './replay.js';

type Correction = EventOf<'observation-corrected'>;

/**
 * What a correction concerns: coups by the references of their openings, corrected events, or
 * everything in the shoe.
 */
interface Concern {
  readonly coups: ReadonlySet<string | undefined>;
  readonly events: ReadonlySet<string>;
  readonly all: boolean;
}

/**
 * Records a correction in a shoe and judges again what it concerns: `targets` are the events that
 * it changes. Withdraws the findings of the coups concerned, and of the shoe's cards and
 * commission, that no longer hold, and raises new ones. Findings about what devices and people did
 * (DV, PR) stay, and other coups do not change. Returns the shoe as it then is.
 *
 * The shoe is replayed from the first stretch of play that a target lies in until play continues as
 * before, so a correction costs about as much as its coup did. It is replayed whole if the opening
 * changes, what a device said when it came online, or if an event that came too late is entered.
 */
export function judgeAgain(
  shoe: Shoe,
  book: RuleBook,
  event: Correction,
  targets: readonly AnyEvent[],
): Shoe {
  shoe.cause = event;
  recordCorrection(shoe, event);
  const because = referenceOf(event);
  const coupsIn = (of: Shoe) => targets.map((each) => coupConcerned(of, each)?.ref);
  const former = coupsIn(shoe);
  const events = new Set(targets.map(referenceOf));
  // what a device may have missed reaches over many coups
  const all = targets.some(
    (each) => each === shoe.opening || each.type === 'device-online' || isLateIn(shoe, each),
  );
  if (all) {
    const fresh = replay(shoe, book);
    const coups = new Set([...former, ...coupsIn(fresh)]);
    return replaced(shoe, fresh, { coups, events, all }, because);
  }
  const concernIn = (fresh: Shoe): Concern => ({
    coups: new Set([...former, ...coupsIn(fresh)]),
    events,
    all,
  });
  return new Again(shoe, concernIn, because).judge(
    targets.map((each) => positionOf(shoe, referenceOf(each))),
  );
}

/** Judges again everything in a shoe, because an event that came too late was entered in it. */
export function judgeAllAgain(shoe: Shoe, book: RuleBook, event: Correction): Shoe {
  shoe.cause = event;
  recordCorrection(shoe, event);
  const all = { coups: new Set<string>(), events: new Set<string>(), all: true };
  return replaced(shoe, replay(shoe, book), all, referenceOf(event));
}

function replaced(shoe: Shoe, fresh: Shoe, concern: Concern, because: string): Shoe {
  markReplaced(shoe, fresh);
  adopt(shoe, [...shoe.found], fresh.found, { concern, because });
  fresh.found = shoe.found;
  return fresh;
}

/** Judges stretches of a shoe again after a correction. */
class Again {
  private concern: Concern | null = null;
  /** Later stretches that depend on sums that changed. */
  private readonly dependent = new Set<number>();

  constructor(
    private shoe: Shoe,
    private readonly concernIn: (fresh: Shoe) => Concern,
    private readonly because: string,
  ) {}

  /** Judges again from the first of these indexes of the order of play. Returns the shoe as it then is. */
  judge(positions: readonly number[]): Shoe {
    const { checkpoints } = this.shoe;
    const stretches = positions.map((at) => {
      const stretch = stretchAt(checkpoints, at);
      // the event that begins a stretch also ends the one before
      return checkpoints[stretch]?.at === at ? Math.max(0, stretch - 1) : stretch;
    });
    const last = Math.max(...positions.map((at) => stretchAt(checkpoints, at)));
    this.stretches(Math.min(...stretches), last);
    // one that depends on another lies later
    for (let stretch = 0; this.dependent.size > 0; stretch += 1)
      if (this.dependent.delete(stretch)) this.stretches(stretch, stretch);
    return this.shoe;
  }

  /** Judges again from one stretch to another at least. */
  private stretches(first: number, last: number): void {
    try {
      this.from(first, last);
    } catch (error) {
      if (!(error instanceof ReachesBack)) throw error;
      // a second time, all of the shoe is judged again
      try {
        this.from(error.stretch, last);
      } catch (again) {
        if (!(again instanceof ReachesBack)) throw again;
        this.from(0, last);
      }
    }
  }

  private from(first: number, last: number): void {
    const { shoe } = this;
    const { checkpoints, played } = shoe;
    const start = (checkpoints[first] as Checkpoint).at;
    const fresh = resumed(shoe, first);
    this.keepEarlier(fresh, first);
    // the burn is judged when the first coup opens
    let until = first === 0 ? Math.max(last, 1) : last;
    if (first > 0) playAgain(fresh, start, beginning);
    for (let stretch = first; ; stretch += 1) {
      const { earliest, latest, at } = checkpoints[stretch] as Checkpoint;
      if (earliest < first) throw new ReachesBack(earliest);
      until = Math.max(until, latest);
      const next = checkpoints[stretch + 1];
      const end = next?.at ?? played.length;
      for (let i = stretch === 0 ? at : at + 1; i < end; i += 1) playAgain(fresh, i, step);
      if (!next) return this.replaceRest(fresh, first);
      playAgain(fresh, end, ending);
      if (stretch >= until && this.goesOnAsBefore(fresh, first, stretch + 1))
        return this.replaceUpTo(fresh, first, stretch + 1);
      playAgain(fresh, end, beginning);
    }
  }

  /** Gives a shoe what was found before a stretch outside coups: what was found once is not raised again. */
  private keepEarlier(fresh: Shoe, first: number): void {
    for (const [id, found] of this.shoe.found.of(null))
      if (!this.isFrom(found, first)) fresh.found.set(id, found);
    const again = this.listedAgain(first);
    for (const [key, entry] of this.shoe.unjudgeable.of(null))
      if (!again.has(key)) fresh.unjudgeable.set(key, entry);
  }

  /** Returns whether a finding about no coup was raised in a stretch or later. */
  private isFrom({ raisedBy }: Found, stretch: number): boolean {
    const { shoe } = this;
    return stretch === 0
      ? raisedBy !== shoe.ref
      : positionOf(shoe, raisedBy) >= (shoe.checkpoints[stretch] as Checkpoint).at;
  }

  /** Returns the keys of what could not be judged of the shoe as a whole from a stretch on. */
  private listedAgain(stretch: number): ReadonlySet<string> {
    const { shoe } = this;
    const { at: from } = shoe.checkpoints[stretch] as Checkpoint;
    const marks = shoe.gaps.filter((at) => at >= from).map((at) => shoe.played[at] as GapMark);
    const keys = new Set(marks.map(({ missing: gap }) => notJudgedKey(null, { is: 'gap', gap })));
    if (stretch <= 1) keys.add(notJudgedKey(null, UNREAD));
    return keys;
  }

  /** Returns whether a shoe that is judged again continues from a stretch as it did before. */
  private goesOnAsBefore(fresh: Shoe, first: number, next: number): boolean {
    const { checkpoints, gaps, coups } = this.shoe;
    if ((gaps.at(-1) ?? -1) >= (checkpoints[first] as Checkpoint).at) return false;
    // later voids name their coups by number
    for (let i = coupsBefore(first); i < coupsBefore(next); i += 1)
      if (coups[i]?.number !== fresh.coups[i]?.number) return false;
    return isSameProgress(fresh.checkpoints[next] as Checkpoint, checkpoints[next] as Checkpoint);
  }

  /** Takes everything from a stretch on as it was judged again. */
  private replaceRest(fresh: Shoe, first: number): void {
    const { shoe } = this;
    const found = this.foundIn(first, Number.POSITIVE_INFINITY);
    const listed = this.listedIn(first, shoe.coups.length);
    const now = { found: fresh.found, listed: [...fresh.unjudgeable] };
    fresh.found = shoe.found;
    fresh.unjudgeable = shoe.unjudgeable;
    fresh.changes = shoe.changes;
    fresh.resumedAt = 0;
    this.shoe = fresh;
    forgetIdleSeats(fresh);
    this.replaceCoups(shoe.coups.slice(coupsBefore(first)), fresh.coups.slice(coupsBefore(first)));
    this.relist(listed, now.listed);
    this.adopt(fresh, found, now.found);
  }

  /** Takes the stretches from `first` up to `next` as they were judged again. */
  private replaceUpTo(fresh: Shoe, first: number, next: number): void {
    const { shoe } = this;
    const { checkpoints } = shoe;
    const [from, was, now] = [checkpoints[first], checkpoints[next], fresh.checkpoints[next]] as [
      Checkpoint,
      Checkpoint,
      Checkpoint,
    ];
    const found = this.foundIn(first, was.at);
    const listed = this.listedIn(first, coupsBefore(next));
    shoe.draws = spliced(shoe.draws, fresh.draws, from.drawn, was.drawn);
    shoe.takings = spliced(shoe.takings, fresh.takings, from.takings, was.takings);
    shoe.loose = spliced(shoe.loose, fresh.loose, from.loose, was.loose);
    shoe.balances = spliced(shoe.balances, fresh.balances, from.balances, was.balances);
    const [low, high] = [coupsBefore(first), coupsBefore(next)];
    const gone = shoe.coups.slice(low, high);
    shoe.coups = spliced(shoe.coups, fresh.coups, low, high);
    if (first === 0) shoe.burned = fresh.burned;
    const shift = shiftBetween(was, now);
    shoe.checkpoints = spliced(checkpoints, fresh.checkpoints.slice(0, next), first, next);
    shiftSums(shoe, shoe.checkpoints.slice(next), shift);
    if (shift.seats.size > 0) forgetIdleSeats(shoe);
    this.replaceCoups(gone, shoe.coups.slice(low, high));
    this.relist(listed, [...fresh.unjudgeable]);
    const seats = this.adopt(fresh, found, fresh.found);
    this.findDependent(shift, next, new Set([...shift.seats.keys(), ...seats]));
  }

  /** Returns what was found in stretches and in their coups, up to an index of the order of play. */
  private foundIn(first: number, before: number): (readonly [string, Found])[] {
    const { shoe } = this;
    const last =
      before === Number.POSITIVE_INFINITY
        ? shoe.coups.length
        : coupsBefore(stretchAt(shoe.checkpoints, before));
    const coups = shoe.coups.slice(coupsBefore(first), last);
    return [
      ...shoe.found
        .of(null)
        .filter(
          ([, found]) => this.isFrom(found, first) && positionOf(shoe, found.raisedBy) < before,
        ),
      ...coups.flatMap(({ ref }) => shoe.found.of(ref)),
    ];
  }

  private listedIn(first: number, last: number): (readonly [string, NotJudged])[] {
    const { shoe } = this;
    return [
      ...shoe.unjudgeable.of(null),
      ...shoe.coups.slice(coupsBefore(first), last).flatMap(({ ref }) => shoe.unjudgeable.of(ref)),
    ];
  }

  private replaceCoups(former: readonly Coup[], fresh: readonly Coup[]): void {
    const { shoe } = this;
    markShoe(shoe);
    markSums(shoe);
    for (const coup of former) shoe.changes.coups.delete(coup);
    for (const coup of fresh) {
      coup.changed = UNCHANGED;
      markCoup(shoe, coup);
    }
  }

  private relist(
    former: readonly (readonly [string, NotJudged])[],
    fresh: readonly (readonly [string, NotJudged])[],
  ): void {
    const { shoe } = this;
    const known = new Set(former.map(([key]) => key));
    const now = new Map(fresh);
    for (const key of known) {
      if (!now.has(key)) shoe.unjudgeable.delete(key);
      markUnjudgeable(shoe, key, false);
    }
    for (const [key, entry] of now) {
      shoe.unjudgeable.set(key, entry);
      markUnjudgeable(shoe, key, !known.has(key));
    }
  }

  /** Returns the seats whose commission was first found outstanding before, or is now. */
  private adopt(
    fresh: Shoe,
    former: readonly (readonly [string, Found])[],
    now: ReadonlyMap<string, Found>,
  ): number[] {
    this.concern ??= this.concernIn(fresh);
    const known = new Map(former);
    const differ = [
      ...former.filter(([id]) => !now.has(id)),
      ...[...now].filter(([id, found]) => !known.has(id) && this.shoe.found.get(id) !== found),
    ];
    adopt(this.shoe, former, now, { concern: this.concern, because: this.because });
    return differ.flatMap(([, { finding }]) =>
      finding.code === 'CM-05' ? [finding.seat as number] : [],
    );
  }

  /** Returns whether the closing says which cards remained, so that their copies decide something. */
  private countsCardsAtClosing(): boolean {
    const { checkpoints, played } = this.shoe;
    const closing = played[checkpoints.at(-1)?.at ?? 0] as AnyEvent;
    const { data } = asLastCorrected(this.shoe)(closing);
    return 'remainingCards' in data;
  }

  /** Notes the later stretches in which a sum that changed decides something, and counts cards again. */
  private findDependent(shift: Shift, from: number, seats: ReadonlySet<number>): void {
    const { checkpoints, balances, closed, copies, decks } = this.shoe;
    for (let i = (checkpoints[from] as Checkpoint).balances; i < balances.length; i += 1) {
      const { at, seat } = balances[i] as { at: number; seat: number };
      if (seats.has(seat)) this.dependent.add(stretchAt(checkpoints, at));
    }
    for (const [card, more] of shift.copies) {
      const now = copies[card] as number;
      if (Math.max(now, now - more) > decks)
        recount(this.shoe, card, checkpoints[from] as Checkpoint, this.because);
    }
    if (closed && (seats.size > 0 || this.countsCardsAtClosing()))
      this.dependent.add(checkpoints.length - 1);
  }
}

/**
 * Takes seats off the ledger if nothing that entered it is theirs any longer. The checkpoints must
 * not know them either: a seat that a later correction brings back would seem to be there already.
 */
function forgetIdleSeats({ ledger, coups, takings, checkpoints }: Shoe): void {
  for (const [seat, { due, taken, marked, collected, waived }] of ledger) {
    if (due !== 0 || taken !== 0 || marked !== 0 || collected !== 0 || waived !== 0) continue;
    const isTheirs = (entry: { readonly seat: number }): boolean => entry.seat === seat;
    if (takings.some(isTheirs) || coups.some(({ entries }) => entries.some(isTheirs))) continue;
    ledger.delete(seat);
    for (const point of checkpoints) point.ledger.delete(seat);
  }
}

const beginning = (shoe: Shoe, event: AnyEvent, at: number): void =>
  beginStretch(shoe, event as Beginning, at);
const ending = (shoe: Shoe, event: AnyEvent, at: number): void =>
  endStretch(shoe, event as Beginning, at);

/** Returns a list with the entries between two indexes as another list has them from the first on. */
function spliced<T>(list: T[], other: readonly T[], from: number, to: number): T[] {
  if (other.length !== to) return [...list.slice(0, from), ...other.slice(from), ...list.slice(to)];
  for (let i = from; i < to; i += 1) list[i] = other[i] as T;
  return list;
}

/** Adopts in a shoe what was found in place of what had been found there. */
function adopt(
  shoe: Shoe,
  former: readonly (readonly [string, Found])[],
  now: ReadonlyMap<string, Found>,
  { concern, because }: { readonly concern: Concern; readonly because: string },
): void {
  const { coups, events, all } = concern;
  const inScope = ({ finding, coup }: Found): boolean =>
    all ||
    CATALOGUE[finding.code].onCorrection === 'shoe' ||
    (coup === null ? finding.events.some((event) => events.has(event)) : coups.has(coup));
  const held = new Map(now);
  for (const [id, found] of former) {
    const fresh = held.get(id);
    held.delete(id);
    const facts = CATALOGUE[found.finding.code];
    if (!fresh && inScope(found) && facts.onCorrection !== 'stays') {
      shoe.found.delete(id);
      markFinding(shoe, found, { because });
      continue;
    }
    // what a device did stays where it was found
    const kept = fresh && inScope(found) && facts.about !== 'device' ? fresh : found;
    shoe.found.set(id, kept);
    markFinding(shoe, kept, 'amended');
  }
  for (const [id, found] of held) {
    if (!inScope(found) || shoe.found.get(id) === found) continue;
    const isKnown = shoe.found.has(id);
    shoe.found.set(id, found);
    markFinding(shoe, found, isKnown ? 'amended' : 'raised');
  }
}
