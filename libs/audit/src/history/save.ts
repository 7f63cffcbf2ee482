import { noShoeChanges, noTableChanges } from '../changes.js';
import { forgetChanges } from '../take-changes.js';
import type { AnyEvent, EventOf } from '../events/events.js';
import { judgedBy, replay, type RuleBook } from './replay.js';
import { Decoder } from '../decode/decode.js';
import { houseFrom } from '../events/house.js';
import { Lane, type LaneSetting } from '../lane/lane.js';
import { ShoeLane } from '../lane/shoe-lane.js';
import type { SavedTail } from '../lane/tail.js';
import { openShoe } from '../judges/shoe.js';
import {
  FOLD_VERSION,
  type Entry,
  type Shoe,
  type TableChanges,
  type TableState,
} from '../state.js';
import type { Found } from '../findings/finding.js';
import { newDesk, type HeardAct, type Item } from '../review/desk.js';
import { ReviewDesk } from '../review/review-desk.js';

interface SavedShoe {
  readonly opening: EventOf<'shoe-opened'>;
  readonly dutyAtOpening: Shoe['dutyAtOpening'];
  readonly awayAtOpening: Shoe['awayAtOpening'];
  readonly journal: readonly Entry[];
  readonly found: readonly (readonly [string, Found])[];
  /** The lines that only its lane has seen; null if there are none. */
  readonly ahead: SavedTail | null;
}

interface SavedTable extends Omit<
  TableState,
  'open' | 'before' | 'admission' | 'foundOutside' | 'desk' | 'changes' | 'lane'
> {
  readonly admission: Omit<TableState['admission'], 'ids' | 'idsBefore' | 'equivocalIds'> & {
    readonly equivocalIds: readonly string[];
    readonly ids: readonly (readonly [string, number])[];
    readonly idsBefore: readonly (readonly [string, number])[];
  };
  readonly open: SavedShoe | null;
  readonly before: SavedShoe | null;
  readonly foundOutside: readonly (readonly [string, Found])[];
  readonly desk: {
    readonly items: readonly Item[];
    readonly acts: readonly (readonly [string, HeardAct])[];
  };
}

/**
 * Returns a table's state as JSON, after any event. It contains what was recorded of the two shoes
 * within reach and what was found. Loading folds the progress of the game from that again. Of a
 * shoe whose lane is ahead, it contains the state as of its last catching up, and the lines since.
 */
export function saveTable(state: TableState): string {
  const { changes: _, lane: __, ...kept } = state;
  const { admission, open, before, foundOutside, desk } = kept;
  const saved: SavedTable = {
    ...kept,
    admission: {
      ...admission,
      ids: [...admission.ids],
      idsBefore: [...admission.idsBefore],
      equivocalIds: [...admission.equivocalIds],
    },
    open: open && savedShoe(open),
    before: before && savedShoe(before),
    foundOutside: [...foundOutside],
    desk: { items: [...desk.items.values()], acts: [...desk.acts] },
  };
  return jsonOf(saved);
}

/**
 * Returns JSON as JSON.stringify does, which fails on deeply nested lists: a waiting correction may
 * contain 16 KiB of them.
 */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return deepJson(value);
    throw error;
  }
}

/** Returns the JSON of plain data, without recursion. */
function deepJson(value: unknown): string {
  const written: string[] = [];
  const todo: (string | { readonly value: unknown })[] = [{ value }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') written.push(next);
    else if (typeof next.value !== 'object' || next.value === null)
      written.push(JSON.stringify(next.value ?? null));
    else {
      const isList = Array.isArray(next.value);
      const members = Object.entries(next.value).filter(
        ([, member]) => isList || member !== undefined,
      );
      const inOrder = members.flatMap(([key, member], i) => [
        `${i > 0 ? ',' : ''}${isList ? '' : `${JSON.stringify(key)}:`}`,
        { value: member as unknown },
      ]);
      todo.push(isList ? ']' : '}', ...inOrder.reverse(), isList ? '[' : '{');
    }
  }
  return written.join('');
}

const savedShoe = ({
  recordedOpening,
  dutyAtOpening,
  awayAtOpening,
  journal,
  found,
  lane,
}: Shoe): SavedShoe => ({
  opening: recordedOpening,
  dutyAtOpening,
  awayAtOpening,
  journal,
  found: [...found],
  ahead: lane?.isAhead ? lane.tail.saved() : null,
});

/**
 * Returns a table's state from `saveTable`. Its lane goes on where it was. Throws if another
 * version of the fold saved it: such state is rebuilt from the log, never read.
 */
export function loadTable(text: string, book: RuleBook, lanes: LaneSetting = 'on'): TableState {
  const saved = JSON.parse(text) as SavedTable;
  if (saved.foldVersion !== FOLD_VERSION)
    throw new Error(
      `state of fold version ${saved.foldVersion} cannot be read by version ${FOLD_VERSION}; rebuild it from the log`,
    );
  const { admission, open, before, foundOutside, desk } = saved;
  const changes = noTableChanges();
  const loaded = (shoe: SavedShoe | null): Shoe | null =>
    shoe && loadedShoe(saved.table, shoe, book, changes);
  const lane = new Lane(lanes === 'on');
  const state: TableState = {
    ...saved,
    admission: {
      ...admission,
      sessions: admission.sessions,
      ids: new Map(admission.ids),
      idsBefore: new Map(admission.idsBefore),
      equivocalIds: new Set(admission.equivocalIds),
    },
    open: loaded(open),
    before: loaded(before),
    foundOutside: new Map(foundOutside),
    desk: {
      ...newDesk(),
      items: new Map(desk.items.map((item) => [item.id, item])),
      acts: new Map(desk.acts),
    },
    changes,
    lane,
  };
  if (state.open?.lane) lane.resume(state.open.lane);
  if (lanes === 'off') lane.catchUp(state);
  new ReviewDesk(state, book).watchAgain();
  return state;
}

function loadedShoe(
  table: string,
  { opening, dutyAtOpening, awayAtOpening, journal, found, ahead }: SavedShoe,
  book: RuleBook,
  changes: TableChanges,
): Shoe {
  const given = { ...judgedBy(book, opening), changes: noShoeChanges(noTableChanges()) };
  const bare = openShoe(table, opening, given, { dutyAtOpening, awayAtOpening });
  for (const entry of journal) bare.journal.push(entry.type === 'gap' ? entry : restored(entry));
  const shoe = replay(bare, book);
  forgetChanges(shoe, changes);
  shoe.found.clear();
  for (const [id, each] of found) shoe.found.set(id, each);
  if (ahead) {
    shoe.lane = new ShoeLane(shoe);
    shoe.lane.resume(ahead, new Decoder(houseFrom(book)));
  }
  return shoe;
}

/**
 * Restores attributes that JSON leaves out because they are undefined. Events have every attribute.
 */
const restored = (event: AnyEvent): AnyEvent => ({
  ...event,
  shoe: event.shoe,
  session: event.session,
  sequence: event.sequence,
  position: event.position,
});
