import type { AnyEvent } from '../events/events.js';
import { ContextChooser, type ContextChosen } from './context.js';
import { FROM_ZERO, type NearStart } from './log-watch.js';
import { RangeJudge, type JudgedTaker, type RangeJudging } from './range-judge.js';
import { RangeFinder, type JudgedRange, type RangeAsked } from './range.js';
import { tableFrom, type Boot } from './table-from.js';

/** A record of a table's log: its number, and its events in order. */
export interface TableRecord {
  readonly record: number;
  readonly events: readonly AnyEvent[];
}

/** A table's log. Reads the records from `from` up to and without `to`, in order, some at once. */
export type ReadTable = (from: number, to: number) => AsyncIterable<Iterable<TableRecord>>;

/**
 * Returns the range that shows what was asked for; undefined if the log has no such shoe. Reads the
 * log from record 0 on, or from `near`, which must lie before what is asked for.
 */
export async function findRange(
  read: ReadTable,
  asked: RangeAsked,
  size: number,
  near: NearStart = FROM_ZERO,
): Promise<JudgedRange | undefined> {
  const finder = new RangeFinder(asked, near);
  for await (const records of read(near.start, size))
    for (const { record, events } of records) {
      finder.begin(record);
      for (const event of events) finder.take(event);
      if (finder.isDone) return finder.range();
    }
  return finder.range();
}

/** A range, and the records before it that judging it needs. */
export interface SettledRange {
  readonly first: number;
  readonly end: number;
  readonly context: readonly number[];
  /** Whether reading from record 0 on leads to the same listing. */
  readonly isSure: boolean;
}

/**
 * Returns the context of a range. The range begins earlier if no record shows what it needs. Reads
 * the log from record 0 on, or from `near`.
 */
export async function chooseContext(
  read: ReadTable,
  { first, end }: Pick<JudgedRange, 'first' | 'end'>,
  shown: number,
  near: NearStart = FROM_ZERO,
): Promise<SettledRange> {
  for (let from = first; ;) {
    const { records, back, isSure } = await chosenFor(read, { first: from, end, shown, near });
    if (back === null) return { first: from, end, context: records, isSure };
    if (near.start > 0 && back <= near.start)
      return { first: from, end, context: records, isSure: false };
    from = back;
  }
}

async function chosenFor(
  read: ReadTable,
  {
    first,
    end,
    shown,
    near,
  }: Pick<JudgedRange, 'first' | 'end'> & { readonly shown: number; readonly near: NearStart },
): Promise<ContextChosen> {
  if (first === 0) return { records: [], back: null, isSure: true };
  const chooser = new ContextChooser(first, shown, near);
  for await (const records of read(near.start, end))
    for (const { record, events } of records) {
      chooser.begin(record);
      for (const event of events) chooser.take(event);
    }
  return chooser.chosen();
}

/** How a range is judged: from which state, by what, and who takes what was judged. */
export interface RangeJudged extends RangeJudging {
  readonly table: string;
  readonly boots: readonly Boot[];
  readonly taker: JudgedTaker;
}

/** Judges a range as its package shows it. Returns how many events are held back at its end. */
export async function judgeRange(
  read: ReadTable,
  { first, end, context }: Omit<SettledRange, 'isSure'>,
  { table, boots, taker, ...judging }: RangeJudged,
): Promise<number> {
  const before: AnyEvent[] = [];
  for (const record of context)
    for await (const records of read(record, record + 1))
      for (const { events } of records) before.push(...events);
  const judge = new RangeJudge(tableFrom(table, before, boots), judging, taker);
  for await (const records of read(first, end))
    for (const { events } of records) for (const event of events) judge.take(event);
  return judge.end();
}

/**
 * Returns a range that begins earlier, twice as long. A range is set back as long as what is judged
 * of it differs from what was judged of the whole log; the one that begins with record 0 is the
 * whole log.
 */
export const setBack = ({ first, end }: Pick<JudgedRange, 'first' | 'end'>) => ({
  first: Math.max(0, end - 2 * (end - first)),
  end,
});
