import { HOUSE_TABLE } from '#audit';
import { expectedOf, inAnyOrder, rowsOf, type Expected } from '../auditor/floor.js';
import { eventually } from '../kit/eventually.js';
import type { Load } from './load.js';
import { assertNoneStopped, FalseAlarm } from './recovery.js';
import { PARTITIONS, type System } from './system.js';

/**
 * The result of a load, counted once it is over and the rows include all of it. If nothing was lost
 * or counted twice, the lists are empty and the counts are 0.
 */
export interface Count {
  readonly acknowledged: number;
  /** Events that were acknowledged but are not in the log. */
  readonly lost: readonly string[];
  /** Events admitted more than once. */
  readonly twice: number;
  /**
   * Number of copies of events that the log holds more than once. This is allowed: admission counts
   * each event once.
   */
  readonly copies: number;
  /**
   * Other faults, in words: tables whose rows differ from the fold of the events, and positions
   * that do not agree with the log.
   */
  readonly wrong: readonly string[];
  readonly findings: number;
}

/** Longest time that the rows may lag after the load ends. */
const CATCH_UP_MS_MAX = 60_000;

/** Positions of log and rows, by partition. */
export interface Standing {
  readonly heads: readonly number[];
  /** Events that the rows include. */
  readonly events: readonly number[];
}

/**
 * Returns the positions of log and rows once the rows include the log as it is now. Both are read
 * from one row, because the server may note an act of its own at any moment. Throws if that takes
 * longer than `msMax`.
 */
export async function standing(system: System, msMax = CATCH_UP_MS_MAX): Promise<Standing> {
  const heads = await headsOf(system);
  const rows = await caughtUp(system, heads, msMax);
  return {
    heads: rows.map(({ next }) => Number(next)),
    events: rows.map(({ events }) => Number(events)),
  };
}

/**
 * Counts a finished load against the log and the rows. `before`: the positions before the load.
 * `isOurs`: whether an act on a finding, by its reference, is one that somebody sent.
 */
export async function count(
  system: System,
  load: Load,
  before: Standing,
  isOurs: (act: string) => boolean = () => false,
): Promise<Count> {
  const { heads, events } = await standing(system);
  const lines = await linesBetween(system, before.heads, heads);
  const there = new Map<string, number>();
  const linesOf = new Map<string, number>();
  const linesIn = [...before.events];
  const acts = new Map<string, string[]>();
  for (const { key, line, partition } of lines) {
    linesIn[partition] = (linesIn[partition] as number) + 1;
    if (key === HOUSE_TABLE) continue; // written by the server itself
    const name = nameOf(line);
    if (isAct(line) && isOurs(name) && !there.has(name))
      acts.set(key, [...(acts.get(key) ?? []), line]);
    there.set(name, (there.get(name) ?? 0) + 1);
    linesOf.set(key, (linesOf.get(key) ?? 0) + 1);
  }
  const sent = new Set([...load.lines.values(), ...acts.values()].flat().map(nameOf));
  const wrong = [
    ...linesIn.flatMap((lines, partition) =>
      lines === events[partition]
        ? []
        : [`partition ${partition} counted ${events[partition]} events, the log has ${lines}`],
    ),
    ...system.endedByThemselves,
    ...(await system.query('select * from rows.parked')).map(
      (row) => `a table is parked: ${JSON.stringify(row)}`,
    ),
    ...[...there.keys()]
      .filter((name) => !sent.has(name))
      .map((name) => `${name} is in the log and was never sent`),
  ];
  const counted = { admitted: 0, findings: 0 };
  for (const [table, played] of load.lines) {
    // an act changes nothing of the game, so its place among the events does not matter here
    const all = [...played, ...(acts.get(table) ?? [])];
    const [rows, expected] = [await rowsOf(system, table), expectedOf(all)];
    wrong.push(...differences(table, rows, expected, linesOf.get(table) ?? 0));
    counted.admitted += rows.counts.admitted ?? 0;
    counted.findings += expected.findings.length;
  }
  return {
    acknowledged: load.events,
    lost: [...sent].filter((name) => !there.has(name)),
    twice: counted.admitted - sent.size,
    copies: [...there.values()].reduce((copies, times) => copies + times - 1, 0),
    wrong,
    findings: counted.findings,
  };
}

/** Returns the head of every partition of the log. */
const headsOf = (system: System): Promise<number[]> =>
  system.withLog((log) =>
    Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => log.head(partition))),
  );

/** A row of `rows.position`. */
interface Position {
  readonly partition: number;
  readonly next: string;
  readonly events: string;
  readonly stopped_reason: string | null;
}

/** Waits until the rows reach `heads`, and returns the positions that were seen there. */
async function caughtUp(
  system: System,
  heads: readonly number[],
  msMax: number,
): Promise<Position[]> {
  const seen = await eventually(
    'the rows at the head of the log',
    async () => {
      const rows = await system.query<Position>(
        'select partition, next, events, stopped_reason from rows.position order by partition',
      );
      try {
        assertNoneStopped(rows);
      } catch (error) {
        return error as FalseAlarm; // waiting does not help
      }
      return (
        rows.length === PARTITIONS &&
        rows.every(({ next }, i) => Number(next) >= (heads[i] as number)) &&
        rows
      );
    },
    msMax,
  );
  if (seen instanceof FalseAlarm) throw seen;
  return seen;
}

/** A line of the log, and where it is. */
export interface Placed {
  readonly key: string;
  readonly line: string;
  readonly partition: number;
  readonly offset: number;
  /** Its place among the lines of its record. */
  readonly at: number;
}

/**
 * Returns the lines of every partition from offset `from` to before `to`, although the server may
 * have noted an act of its own behind them. Throws if a record does not follow the one before it.
 */
export async function linesBetween(
  system: System,
  from: readonly number[],
  to: readonly number[],
): Promise<Placed[]> {
  return system.withLog(async (log) => {
    const all: Placed[] = [];
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      for (let next = from[partition] as number; next < (to[partition] as number);) {
        for (const { key, value, offset } of await log.read(partition, next)) {
          if (next === to[partition]) break;
          if (offset !== next)
            throw new Error(`partition ${partition} has ${offset} where ${next} must be`);
          const lines = Buffer.from(value).toString('utf8').split('\n');
          all.push(...lines.map((line, at) => ({ key, line, partition, offset, at })));
          next += 1;
        }
      }
    return all;
  });
}

/** Returns how a table's rows differ from the fold of the events, each taken once. */
function differences(table: string, rows: Expected, expected: Expected, lines: number): string[] {
  const { read, duplicates, ...counts } = rows.counts;
  const { read: _read, duplicates: _duplicates, ...countsExpected } = expected.counts;
  const [is, must] = [
    inAnyOrder({ ...rows, counts }),
    inAnyOrder({ ...expected, counts: countsExpected }),
  ] as [Record<string, unknown>, Record<string, unknown>];
  const wrong = Object.keys(must)
    .filter((list) => JSON.stringify(is[list]) !== JSON.stringify(must[list]))
    .map((list) => `${table}: ${list} are ${shortened(is[list])}, not ${shortened(must[list])}`);
  if (read !== lines) wrong.push(`${table}: ${read} lines were read, the log has ${lines}`);
  if (duplicates !== lines - (counts.admitted ?? 0))
    wrong.push(
      `${table}: ${duplicates} duplicates, of ${lines} lines ${counts.admitted} were admitted`,
    );
  return wrong;
}

const shortened = (value: unknown): string => JSON.stringify(value).slice(0, 600);

const SOURCE = /"source":"([^"]*)"/;
const ID = /"id":"([^"]*)"/;

/** Returns whether a line is an act on a finding. */
export const isAct = (line: string): boolean => line.includes('"type":"shoeprint.finding-');

/**
 * Returns the reference of a simulated event or an act. Its source and id come first on its line
 * and need no JSON escapes.
 */
export const nameOf = (line: string): string => `${SOURCE.exec(line)?.[1]}#${ID.exec(line)?.[1]}`;
