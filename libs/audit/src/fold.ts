import { admit, endWaits, newAdmission, turnIds, type Admitting } from './admission/admission.js';
import type { Decoder } from './decode/decode.js';
import type { Block } from './decode/line-reader.js';
import { leaveReach, markOutside, noShoeChanges, noTableChanges } from './changes.js';
import type { FindingCode } from './findings/catalogue.js';
import { referenceOf, type AnyEvent, type EventOf } from './events/events.js';
import { newFinding, raise, type Wrong } from './findings/findings.js';
import { gapFound, isSameGap, lacks, nameLate, passGap } from './admission/gap.js';
import {
  adopt,
  coupConcerned,
  eventIn,
  judgedBy,
  replay,
  targetOf,
  targetsBefore,
  type RuleBook,
} from './history/replay.js';
import { openShoe } from './judges/shoe.js';
import { houseFrom } from './events/house.js';
import type { Found } from './findings/finding.js';
import { FOLD_VERSION, type GapMark, type Receipt, type Shoe, type TableState } from './state.js';
import { changeDuty, judgeAuthority, owesReturns, step, unknownReference } from './step.js';

/** Shoe ids remembered of each table. */
const SHOES_MAX = 1024;
/** Card sources remembered of each table. */
const CARD_SOURCES_MAX = 16;
/** Findings remembered of each table that are about no shoe within reach. */
const OUTSIDE_MAX = 1024;

/** Returns the state of a table without events. */
export const newTable = (table: string): TableState => ({
  foldVersion: FOLD_VERSION,
  table,
  admission: newAdmission(),
  duty: { dealer: null, caller: null },
  shoes: [],
  cardSources: [],
  open: null,
  before: null,
  foundOutside: new Map(),
  changes: noTableChanges(),
});

/** The receipt of an event if the caller does not know it. */
const NO_RECEIPT: Receipt = { mark: 0, received: null };

/**
 * Takes one event of a table, as an object or as the line that contains it: admits, assembles,
 * judges and accounts for it. Changes `state`, and marks what changed with the mark of `receipt`;
 * `takeChanges` takes the changes. The same events in the same order make the same rows, with the
 * same ids, whenever and wherever they are folded.
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
  const taken = 'decoder' in event ? eventOf(event, state.table) : event;
  state.changes.receipt = receipt;
  admit(state.admission, taken, new Table(state, book));
}

/** An event as the bytes of a line: where it lies in its block, and the decoder that reads it. */
export interface Line {
  readonly decoder: Decoder;
  readonly block: Block;
  readonly from: number;
  readonly to: number;
}

function eventOf({ decoder, block, from, to }: Line, table: string): AnyEvent {
  const { event, faults } = decoder.decode(block, from, to);
  if (!event) {
    const why = faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim());
    throw new Error(`the line cannot be read: ${why.join('; ')}`);
  }
  if (event.table !== table) throw new Error(`the line is of table ${event.table}, not ${table}`);
  return event;
}

/** Ends every wait of a table with a gap, as at the end of a log. */
export function endOfLog(state: TableState, book: RuleBook, receipt: Receipt = NO_RECEIPT): void {
  state.changes.receipt = receipt;
  endWaits(state.admission, new Table(state, book));
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
    if (event.type === 'shoe-opened') return this.openShoe(event);
    if (event.type === 'observation-corrected') return this.correct(event);
    const { open } = this.state;
    const isOpen = open !== null && !open.closed;
    if (event.shoe !== undefined && !(isOpen && event.shoe === open.name))
      return this.ofAnotherShoe(event);
    if (event.type === 'dealer-signed-on' || event.type === 'dealer-relieved')
      changeDuty(this.state.duty, event);
    else if (event.type === 'card-drawn') this.noteCardSource(event.source);
    if (!open) return;
    this.enter(open, event);
    if (
      (event.type === 'coup-opened' || event.type === 'shoe-closed') &&
      this.state.before &&
      owesReturns(this.state.before)
    )
      this.enter(this.state.before, event);
  }

  private enter(shoe: Shoe, event: AnyEvent): void {
    shoe.journal.push(event);
    step(shoe, event, shoe.journal.length - 1);
  }

  private openShoe(event: EventOf<'shoe-opened'>): void {
    const { state } = this;
    const name = event.shoe as string;
    if (state.shoes.includes(name)) {
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
    const open = openShoe(state.table, event, given, state.duty);
    if (state.before) leaveReach(state, state.before);
    state.before = state.open;
    state.open = open;
    state.shoes.push(name);
    if (state.shoes.length > SHOES_MAX) state.shoes.shift();
    turnIds(state.admission, event);
  }

  private ofAnotherShoe(event: AnyEvent): void {
    const { open, before, shoes, admission } = this.state;
    if (REACHING.has(event.type)) {
      const shoe = [open, before].find((held) => held?.name === event.shoe);
      if (shoe) this.enter(shoe, event);
      else {
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
    this.noteCardSource(event.source);
    if (shoes.includes(event.shoe as string)) return;
    this.raiseOutside(event, 'DL-15', {
      event: referenceOf(event),
      events: [referenceOf(event)],
      expected: 'an open shoe',
      observed: `a card of shoe ${event.shoe}`,
      message: `A card came from shoe ${event.shoe}, which was never opened.`,
    });
  }

  private noteCardSource(source: string): void {
    const { cardSources } = this.state;
    if (cardSources[0] === source) return;
    const at = cardSources.indexOf(source);
    if (at >= 0) cardSources.splice(at, 1);
    cardSources.unshift(source);
    if (cardSources.length > CARD_SOURCES_MAX) cardSources.pop();
  }

  /** Raises a finding about no shoe within reach. */
  private raiseOutside(event: AnyEvent, code: FindingCode, wrong: Wrong): void {
    const { state } = this;
    const place = {
      table: state.table,
      shoe: event.shoe ?? '',
      rules: state.open?.rules.ref ?? '',
      void: false,
    };
    const finding = newFinding(code, place, wrong, this.book.sha256);
    if (state.foundOutside.has(finding.id)) return;
    const found: Found = {
      finding,
      coup: null,
      raisedBy: referenceOf(event),
      raised: { time: event.time, dealer: state.duty.dealer },
    };
    state.foundOutside.set(finding.id, found);
    if (state.foundOutside.size > OUTSIDE_MAX)
      state.foundOutside.delete(state.foundOutside.keys().next().value as string);
    markOutside(state, found, 'raised');
  }

  gap(after: AnyEvent, boot: number, from: number, to: number): void {
    const { open, before, cardSources } = this.state;
    const { source, session } = after as { source: string; session: string };
    const ofCards = cardSources.includes(source) || after.type === 'card-drawn';
    const mark: GapMark = {
      type: 'gap',
      source,
      session,
      boot,
      from,
      to,
      ofCards,
      after: referenceOf(after),
      since: -1,
      late: [],
      raises: true,
    };
    if (!open) return this.raiseOutside(after, 'DV-04', gapFound(mark));
    const since = lastOf(open, source);
    this.mark(open, { ...mark, since });
    const sinceBefore = since < 0 && before && ofCards ? lastOf(before, source) : -1;
    if (before && sinceBefore >= 0)
      this.mark(before, { ...mark, since: sinceBefore, raises: false });
  }

  private mark(shoe: Shoe, mark: GapMark): void {
    shoe.journal.push(mark);
    passGap(shoe, mark, shoe.journal.length - 1, false);
  }

  late(event: AnyEvent): void {
    for (const shoe of [this.state.open, this.state.before]) {
      const mark = shoe?.journal.findLast(
        (entry): entry is GapMark => entry.type === 'gap' && entry.raises && lacks(entry, event),
      );
      if (!shoe || !mark) continue;
      mark.late.push(event);
      const found = [...shoe.found.values()].find(({ finding }) => isSameGap(finding.gap, mark));
      nameLate(shoe, mark, found);
      return;
    }
    const found = [...this.state.foundOutside.values()].findLast(
      ({ finding }) => finding.gap && lacks(finding.gap, event),
    );
    if (!found) return;
    found.finding = { ...found.finding, events: [...found.finding.events, referenceOf(event)] };
    markOutside(this.state, found, 'amended');
  }

  equivocal(event: AnyEvent): void {
    const { open, before } = this.state;
    const { source, id, session = '', sequence } = event;
    const repeat = sequence === undefined ? { source, id } : { source, session, sequence };
    const words = (first: AnyEvent | undefined): Wrong => ({
      repeat,
      events: [...new Set([...(first ? [referenceOf(first)] : []), referenceOf(event)])],
      expected: 'the content admitted first',
      observed: 'another content under the same number or id',
      message: `${event.source} sent ${event.sequence === undefined ? `id ${event.id}` : `number ${event.sequence} of session ${event.session}`} again with another content.`,
    });
    for (const shoe of [open, before]) {
      const first = shoe?.journal.find(
        (entry): entry is AnyEvent => entry.type !== 'gap' && isSame(entry, event),
      );
      if (!shoe || !first) continue;
      shoe.cause = event;
      raise(shoe, coupConcerned(shoe, first), 'DV-15', words(first));
      return;
    }
    if (open && !open.closed) {
      open.cause = event;
      raise(open, open.coup, 'DV-15', words(undefined));
    } else this.raiseOutside(event, 'DV-15', words(undefined));
  }

  private correct(event: EventOf<'observation-corrected'>): void {
    const { state } = this;
    for (const which of ['open', 'before'] as const) {
      const shoe = state[which];
      const named = shoe && eventIn(shoe, event.data.event);
      if (!shoe || !named) continue;
      shoe.cause = event;
      const target = targetOf(shoe, event.data, houseFrom(this.book));
      if (typeof target === 'string') {
        judgeAuthority(shoe, named === shoe.opening ? null : coupConcerned(shoe, named), event);
        return unknownReference(shoe, event, target);
      }
      const targets = [target, ...targetsBefore(shoe, named)];
      judgeAuthority(shoe, target === shoe.opening ? null : coupConcerned(shoe, target), event);
      const former = targets.map((each) => coupConcerned(shoe, each)?.ref);
      shoe.journal.push(event);
      const fresh = replay(shoe, this.book);
      const coups = new Set([...former, ...targets.map((each) => coupConcerned(fresh, each)?.ref)]);
      adopt(
        shoe,
        fresh,
        { coups, events: new Set(targets.map(referenceOf)), all: targets.includes(shoe.opening) },
        referenceOf(event),
      );
      state[which] = fresh;
      if (which === 'open') Object.assign(state.duty, fresh.duty);
      return;
    }
    this.correctUnknown(event);
  }

  /** Raises that a correction names no event within reach. */
  private correctUnknown(event: EventOf<'observation-corrected'>): void {
    const { open } = this.state;
    if (open) {
      open.cause = event;
      judgeAuthority(open, open.coup, event);
      unknownReference(open, event, event.data.event);
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

const lastOf = (shoe: Shoe, source: string): number =>
  shoe.journal.findLastIndex((entry) => entry.type !== 'gap' && entry.source === source);

const isSame = (known: AnyEvent, event: AnyEvent): boolean =>
  known.source === event.source &&
  (event.sequence === undefined
    ? known.id === event.id
    : known.sequence === event.sequence && known.session === event.session);
