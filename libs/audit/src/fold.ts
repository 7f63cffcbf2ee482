import { admit, endWaits, newAdmission, type Admitting } from './admission/admission.js';
import { canName, turnIds } from './admission/ids-in-reach.js';
import { eventOf, type Line } from './decode/line.js';
import { markOutside, noShoeChanges, noTableChanges } from './changes.js';
import { leaveReach } from './take-changes.js';
import { CATALOGUE, type FindingCode } from './findings/catalogue.js';
import {
  HOUSE_TABLE,
  isReview,
  referenceOf,
  type AnyEvent,
  type EventOf,
} from './events/events.js';
import { newDesk } from './review/desk.js';
import { ReviewDesk } from './review/review-desk.js';
import { listAtMark, newFinding, raise, type Wrong } from './findings/findings.js';
import { gapFound, heardLast, lacks, nameLate, passGap } from './admission/gap.js';
import { awayAfter } from './admission/outage.js';
import { coupConcerned, eventIn, isLateIn, record } from './history/journal.js';
import { Lane, type LaneSetting } from './lane/lane.js';
import { judgeAgain, judgeAllAgain } from './history/judge-again.js';
import { judgedBy, targetOf, targetsBefore, type RuleBook } from './history/replay.js';
import { openShoe } from './judges/shoe.js';
import { houseFrom } from './events/house.js';
import {
  isSameMissing,
  type Found,
  type Gap,
  type Missing,
  type Outage,
  type RaisedWhen,
} from './findings/finding.js';
import { kindsOf } from './admission/message-kinds.js';
import { hear, sentUpTo } from './admission/sources.js';
import { FOLD_VERSION, type GapMark, type Receipt, type Shoe, type TableState } from './state.js';
import { changeDuty, judgeAuthority, owesReturns, step, unknownReference } from './step.js';
import { forgetOldest } from './forget-oldest.js';

/** Shoe ids remembered of each table. */
export const SHOES_MAX = 1024;
/** Findings remembered of each table that are about no shoe within reach. */
const OUTSIDE_MAX = 1024;

/** Returns the state of a table without events. `lanes` says how its lines are folded. */
export const newTable = (table: string, lanes: LaneSetting = 'on'): TableState => ({
  foldVersion: FOLD_VERSION,
  table,
  admission: newAdmission(),
  duty: { dealer: null, caller: null, lost: null },
  shoes: [],
  sources: [],
  openingLost: null,
  open: null,
  before: null,
  foundOutside: new Map(),
  desk: newDesk(),
  changes: noTableChanges(),
  lane: new Lane(lanes === 'on'),
});

/** The receipt of an event if the caller does not know it. */
const NO_RECEIPT: Receipt = { mark: 0, received: null };

/**
 * Takes one event of a table, as an object or as the line that contains it: admits, assembles,
 * judges and accounts for it. Changes `state`, and marks what changed with the mark of `receipt`;
 * `takeChanges` takes the changes. The same events in the same order make the same rows, with the
 * same ids, whenever and wherever they are folded.
 *
 * A line of lawful play is taken by the lane, and the shoes of `state` may stay behind it: they
 * catch up when changes are taken, state is saved or something is explained.
 *
 * Never throws on an event that `Decoder` accepts, unless the record names rules that are not in
 * `book`. Throws on a line that `Decoder` refuses or that is of another table, and changes nothing.
 */
export function fold(
  state: TableState,
  event: AnyEvent | Line,
  book: RuleBook,
  receipt: Receipt = NO_RECEIPT,
): void {
  if ('decoder' in event && state.lane.take(state, event, receipt)) return;
  const taken = eventOf(event);
  if ('decoder' in event && taken.table !== state.table)
    throw new Error(`the line is of table ${taken.table}, not ${state.table}`);
  if (state.table === HOUSE_TABLE) return;
  state.lane.explain(state, taken);
  state.changes.receipt = receipt;
  if (receipt.position !== undefined) keepPosition(taken, receipt.position);
  if (isReview(taken)) return new ReviewDesk(state, book).act(taken);
  state.desk.behind = null;
  admit(state.admission, taken, new Table(state, book));
  follow(state, book);
}

/** Keeps with an event where its line is. The event goes on through waits and corrections. */
const keepPosition = (event: { position?: number | undefined }, position: number): void =>
  void (event.position = position);

/** Lets the desk follow what the game did to findings, if it did anything. */
function follow(state: TableState, book: RuleBook): void {
  if (state.changes.news.length > 0 || state.desk.watched.size > 0)
    new ReviewDesk(state, book).follow();
}

/** Ends every wait of a table with a gap, as at the end of a log. */
export function endOfLog(state: TableState, book: RuleBook, receipt: Receipt = NO_RECEIPT): void {
  if (state.admission.wait) state.lane.catchUp(state);
  state.changes.receipt = receipt;
  state.desk.behind = null;
  endWaits(state.admission, new Table(state, book));
  follow(state, book);
}

/**
 * Events that reach back to the shoe before the open one. All other events of another shoe are
 * stray.
 */
const REACHING: ReadonlySet<string> = new Set([
  'card-moved',
  'coup-voided',
  'bet-settled',
  'commission-collected',
  'commission-waived',
]);

class Table implements Admitting {
  constructor(
    private readonly state: TableState,
    private readonly book: RuleBook,
  ) {}

  admitted(event: AnyEvent): void {
    if (event.type === 'device-online' || event.type === 'device-offline') this.judgeOutage(event);
    hear(this.state.sources, event, this.state.admission.counts.admitted);
    if (event.type === 'shoe-opened') return this.openShoe(event);
    if (event.type === 'observation-corrected') return this.correct(event);
    const { open } = this.state;
    if (event.type === 'dealer-signed-on' || event.type === 'dealer-relieved')
      changeDuty(this.state.duty, event);
    else if (this.isOfAnotherShoe(event)) return this.ofAnotherShoe(event);
    if (!open) return;
    this.enter(open, event);
    if (
      (event.type === 'coup-opened' || event.type === 'shoe-closed') &&
      this.state.before &&
      owesReturns(this.state.before)
    )
      this.enter(this.state.before, event);
  }

  private isOfAnotherShoe({ shoe }: AnyEvent): boolean {
    const { open } = this.state;
    return shoe !== undefined && (open === null || open.closed || shoe !== open.name);
  }

  private enter(shoe: Shoe, event: AnyEvent): void {
    record(shoe, event);
    step(shoe, event, shoe.played.length - 1);
  }

  private openShoe(event: EventOf<'shoe-opened'>): void {
    const { state } = this;
    const name = event.shoe as string;
    if (state.shoes.includes(name) || !canName(state.admission, event, this)) {
      state.admission.counts.stray += 1;
      return;
    }
    if (state.open && !state.open.closed) this.enter(state.open, event);
    // it goes out of reach, so its stakes can no longer be returned
    if (state.before && owesReturns(state.before)) this.enter(state.before, event);
    const given = {
      ...judgedBy(this.book, event),
      changes: noShoeChanges(state.changes, state.changes.receipt.mark),
    };
    // before the new shoe is opened, whose opening may raise findings of its own
    if (state.before) {
      new ReviewDesk(state, this.book).leave(state.before);
      leaveReach(state, state.before);
    }
    state.before = state.open;
    state.open = openShoe(state.table, event, given, {
      dutyAtOpening: state.duty,
      awayAtOpening: state.before ? awayAfter(state.before) : [],
    });
    state.shoes.push(name);
    if (state.shoes.length > SHOES_MAX) state.shoes.shift();
    state.openingLost = null;
    turnIds(state.admission, event);
  }

  private ofAnotherShoe(event: AnyEvent): void {
    const { open, before, shoes, admission } = this.state;
    if (REACHING.has(event.type)) {
      const shoe = [open, before].find((held) => held?.name === event.shoe);
      if (shoe) this.enter(shoe, event);
      else if (!this.isOpeningLost(event, 'PR-09')) {
        this.raiseOutside(event, 'PR-09', {
          event: referenceOf(event),
          events: [referenceOf(event)],
          expected: 'the open shoe or the one before',
          observed: `shoe ${event.shoe}`,
          message: `A ${event.type} event names shoe ${event.shoe}, which is unknown or out of reach.`,
        });
      }
      return;
    }
    admission.counts.stray += 1;
    if (event.type !== 'card-drawn') return;
    if (shoes.includes(event.shoe as string)) return;
    if (this.isOpeningLost(event, 'DL-15')) return;
    this.raiseOutside(event, 'DL-15', {
      event: referenceOf(event),
      events: [referenceOf(event)],
      expected: 'an open shoe',
      observed: `a card of shoe ${event.shoe}`,
      message: `A card came from shoe ${event.shoe}, which was never opened.`,
    });
  }

  /**
   * Records that the opening of a shoe may be lost. Withdraws what was found about an unknown shoe
   * since the source of the gap was heard last.
   */
  private loseOpening(gap: Missing, { after: because, unrecorded }: GapMark): void {
    const { state } = this;
    state.openingLost = gap;
    const admitted = state.sources.find(({ source }) => source === gap.source)?.admitted ?? 0;
    for (const [id, found] of state.foundOutside) {
      const { code, events } = found.finding;
      if ((found.admitted ?? 0) <= admitted || !CATALOGUE[code].gap.includes('play')) continue;
      state.foundOutside.delete(id);
      markOutside(state, found, { because });
      unrecorded.push({ code, events });
    }
  }

  /** Returns whether the opening of an unknown shoe may be lost, and then lists the code. */
  private isOpeningLost(event: AnyEvent, code: FindingCode): boolean {
    const { open, openingLost: gap } = this.state;
    if (!gap) return false;
    if (open) listAtMark(open, gap, { code, events: [referenceOf(event)] });
    return true;
  }

  /** Raises a finding about no shoe within reach. */
  private raiseOutside(event: AnyEvent, code: FindingCode, wrong: Wrong): void {
    const { state } = this;
    const location = {
      table: state.table,
      shoe: event.shoe ?? '',
      rules: state.open?.rules.ref ?? '',
      void: false,
    };
    const finding = newFinding(code, location, wrong, this.book.sha256);
    if (state.foundOutside.has(finding.id)) return;
    const found: Found = {
      finding,
      coup: null,
      raisedBy: referenceOf(event),
      raised: this.raisedWhen(event),
      admitted: state.admission.counts.admitted,
    };
    state.foundOutside.set(finding.id, found);
    forgetOldest(state.foundOutside, OUTSIDE_MAX);
    markOutside(state, found, 'raised');
  }

  gap(after: AnyEvent, boot: number, from: number, to: number): void {
    const { source, session } = after as { source: string; session: string };
    const gap: Gap = { source, session, boot, from, to };
    const mark = this.markOf(after, gap, sentUpTo(this.state.sources, after, from));
    this.loseUntil(mark);
    const { open } = this.state;
    if (!open) return this.raiseOutside(after, 'DV-04', gapFound(gap, mark));
    this.mark(open, mark);
    this.markBefore(open, mark);
  }

  private markOf(after: AnyEvent, missing: Missing, sent: GapMark['sent']): GapMark {
    const { open } = this.state;
    const isPlay = kindsOf(after.type).includes('play');
    return {
      type: 'gap',
      missing,
      sent,
      opensCoup: after.type === 'coup-opened' && after.shoe === open?.name,
      keepsShoe: isPlay && after.type !== 'shoe-opened' && after.shoe === open?.name,
      after: referenceOf(after),
      late: [],
      unrecorded: [],
      raises: true,
    };
  }

  /** Records what may be lost until the next opening of a shoe or sign-on. */
  private loseUntil(mark: GapMark): void {
    if (mark.sent.includes('play')) this.loseOpening(mark.missing, mark);
    if (mark.sent.includes('people')) this.state.duty.lost = mark.missing;
  }

  /** Marks the shoe before too if the source was not heard in the open one. */
  private markBefore(open: Shoe, mark: GapMark): void {
    const { before } = this.state;
    if (before && heardLast(open, mark.missing.source, open.played.length - 1) < 0)
      this.mark(before, { ...mark, keepsShoe: false, late: [], unrecorded: [], raises: false });
  }

  /**
   * Judges that a source came online or went offline: whether it may have missed cards (DV-06). Its
   * last `device-online` must have said what it missed, because sources that never say so are
   * judged as they always were.
   */
  private judgeOutage(event: EventOf<'device-online'> | EventOf<'device-offline'>): void {
    const { source } = event;
    const { open, before, sources } = this.state;
    if (!open || this.isOfAnotherShoe(event)) return;
    const says = this.saysMissed(open, event);
    if (says === 0 || ![open, before].some((shoe) => shoe && hasDrawn(shoe, source))) return;
    const outage: Outage = { source, event: referenceOf(event), says };
    const mark = this.markOf(event, outage, sentUpTo(sources, event, Infinity));
    this.loseUntil(mark);
    this.mark(open, mark);
    if (!open.closed && !(before && isHeardAfterClosing(before, source)))
      this.markBefore(open, mark);
  }

  /** Returns what a source says that it missed; 0 if it says nothing, or nothing new. */
  private saysMissed(
    open: Shoe,
    event: EventOf<'device-online'> | EventOf<'device-offline'>,
  ): Outage['says'] {
    const isIt = ({ source }: { readonly source: string }): boolean => source === event.source;
    const away = open.away.find(isIt);
    if (event.type === 'device-online') return open.closed || away?.isRaised ? 0 : missedOf(event);
    return !away && this.state.sources.find(isIt)?.saysMissed ? 'offline' : 0;
  }

  private mark(shoe: Shoe, mark: GapMark): void {
    record(shoe, mark);
    passGap(shoe, mark, shoe.played.length - 1);
  }

  late(event: AnyEvent): void {
    const { open, before, foundOutside } = this.state;
    let isKept = false;
    for (const shoe of [open, before]) {
      const mark = shoe?.journal.findLast(
        (entry): entry is GapMark => entry.type === 'gap' && lacks(entry.missing, event),
      );
      if (!shoe || !mark) continue;
      isKept = true;
      mark.late.push(event);
      const found = [...shoe.found.values()].find(({ finding }) =>
        isSameMissing(finding.gap, mark.missing),
      );
      nameLate(shoe, mark, found);
    }
    if (isKept) return;
    const found = [...foundOutside.values()].findLast(
      ({ finding }) => finding.gap && lacks(finding.gap, event),
    );
    if (!found) return;
    found.finding = { ...found.finding, events: [...found.finding.events, referenceOf(event)] };
    markOutside(this.state, found, 'amended');
  }

  equivocal(event: AnyEvent, under: 'number' | 'id'): void {
    const { open, before } = this.state;
    const { source, id, session = '', sequence = 0 } = event;
    const repeat = under === 'id' ? { source, id } : { source, session, sequence };
    const words = (first: AnyEvent | undefined): Wrong => ({
      repeat,
      events: [...new Set([...(first ? [referenceOf(first)] : []), referenceOf(event)])],
      expected: 'the content admitted first',
      observed: 'another content under the same number or id',
      message: `${source} sent ${under === 'id' ? `id ${id}` : `number ${sequence} of session ${session}`} again with another content.`,
    });
    for (const shoe of [open, before]) {
      const first = shoe?.journal.find(
        (entry): entry is AnyEvent => entry.type !== 'gap' && isSame(entry, event, under),
      );
      if (!shoe || !first) continue;
      const coup = coupConcerned(shoe, first);
      return this.raiseUnrecorded(shoe, event, () => raise(shoe, coup, 'DV-15', words(first)));
    }
    if (open && !open.closed)
      this.raiseUnrecorded(open, event, () => raise(open, open.coup, 'DV-15', words(undefined)));
    else this.raiseOutside(event, 'DV-15', words(undefined));
  }

  private correct(event: EventOf<'observation-corrected'>): void {
    const { open, before } = this.state;
    const house = houseFrom(this.book);
    const found = [open, before].flatMap((shoe) => {
      const named = shoe && eventIn(shoe, event.data.event);
      return named ? [{ shoe, named, target: targetOf(shoe, event.data, house) }] : [];
    });
    // Two shoes hold the correction of a late event if the hole lies in both.
    const fitting = found.find(({ target }) => typeof target !== 'string') ?? found[0];
    if (!fitting) return this.correctUnknown(event);
    const { shoe, named, target } = fitting;
    if (typeof target === 'string')
      return this.raiseUnrecorded(shoe, event, () => {
        judgeAuthority(shoe, named === shoe.opening ? null : coupConcerned(shoe, named), event);
        unknownReference(shoe, event, target);
      });
    shoe.cause = event;
    judgeAuthority(shoe, target === shoe.opening ? null : coupConcerned(shoe, target), event);
    this.judgeAgain(shoe, event, [target, ...targetsBefore(shoe, named)]);
  }

  /** Judges a shoe again with a correction that changes these of its events. */
  private judgeAgain(
    shoe: Shoe,
    event: EventOf<'observation-corrected'>,
    targets: readonly AnyEvent[],
  ): void {
    const { state, book } = this;
    const late = targets.filter((each) => isLateIn(shoe, each));
    const isOpen = shoe === state.open;
    const other = isOpen ? state.before : state.open;
    const again = judgeAgain(shoe, book, event, targets);
    const otherAgain =
      other && late.some((each) => isLateIn(other, each))
        ? judgeAllAgain(other, book, event)
        : other;
    [state.open, state.before] = isOpen ? [again, otherAgain] : [otherAgain, again];
    if (state.open) Object.assign(state.duty, state.open.duty);
  }

  /** Raises in a shoe what an event did that no journal will hold. */
  private raiseUnrecorded(shoe: Shoe, event: AnyEvent, raiseIt: () => void): void {
    shoe.cause = event;
    shoe.unrecorded = this.raisedWhen(event);
    raiseIt();
    shoe.unrecorded = null;
  }

  private raisedWhen({ time }: AnyEvent): RaisedWhen {
    return { time, dealer: this.state.duty.dealer };
  }

  /** Raises that a correction names no event within reach. */
  private correctUnknown(event: EventOf<'observation-corrected'>): void {
    const { open } = this.state;
    if (open) {
      this.raiseUnrecorded(open, event, () => {
        judgeAuthority(open, open.coup, event);
        unknownReference(open, event, event.data.event);
      });
    } else {
      this.raiseOutside(event, 'PR-09', {
        event: referenceOf(event),
        events: [referenceOf(event)],
        expected: 'a reference to an event of this shoe or the one before',
        observed: event.data.event,
        message: 'A correction names an event that is unknown or out of reach.',
      });
    }
  }
}

/** Returns how much a device missed; null if it does not know, 0 if it says nothing of it. */
const missedOf = ({ data: { missed } }: EventOf<'device-online'>): number | null =>
  missed === undefined ? 0 : missed;

/** Returns whether a source drew a card of a shoe. */
const hasDrawn = ({ draws }: Shoe, source: string): boolean =>
  draws.some(({ event }) => event.source === source);

/** Returns whether a source was heard after a shoe had been closed. */
const isHeardAfterClosing = (shoe: Shoe, source: string): boolean =>
  shoe.closed &&
  heardLast(shoe, source, shoe.played.length) > (shoe.checkpoints.at(-1)?.at ?? Infinity);

const isSame = (known: AnyEvent, event: AnyEvent, under: 'number' | 'id'): boolean =>
  known.source === event.source &&
  (under === 'id'
    ? known.id === event.id
    : known.sequence === event.sequence && known.session === event.session);
