import type { StoredRecord } from '#event-log';
import { expectedOf, inAnyOrder, rowsOf, type Expected } from '../auditor/floor.js';
import { eventually } from '../kit/eventually.js';
import type { Load } from './load.js';
import { PARTITIONS, type System } from './system.js';

/** What is counted once a load is over and all of it is in the rows. Nothing lost and nothing twice is all of these empty, and 0. */
export interface Count {
  readonly acknowledged: number;
  /** Events that were acknowledged and are not in the log. */
  readonly lost: readonly string[];
  /** Events admitted more often than once. */
  readonly twice: number;
  /** How many copies the log holds of events that are in it already: allowed, for admission takes them once. */
  readonly copies: number;
  /** What else is not as it must be, in words: tables whose rows are not what the fold makes of the events, positions that do not agree with the log. */
  readonly wrong: readonly string[];
  readonly findings: number;
}

/** Longest that the rows may be behind once nothing more is sent. */
const CATCH_UP_MS_MAX = 60_000;

/** Where log and rows stood, by partition. */
export interface Standing {
  readonly heads: readonly number[];
  /** Events that the rows have counted. */
  readonly events: readonly number[];
}

/** Where log and rows stand, once the rows have all that is in the log. */
export async function standing(system: System): Promise<Standing> {
  const heads = await headsOf(system);
  await caughtUp(system, heads);
  return { heads, events: await countedBy(system) };
}

const countedBy = async (system: System): Promise<number[]> =>
  (
    await system.query<{ events: string }>('select events from rows.position order by partition')
  ).map(({ events }) => Number(events));

/** Counts a load that is over, against the log and against the rows. `before`: how both stood before it began. */
export async function count(system: System, load: Load, before: Standing): Promise<Count> {
  const { heads, events } = await standing(system);
  const records = await recordsBetween(system, before.heads, heads);
  const there = new Map<string, number>();
  const linesOf = new Map<string, number>();
  const linesIn = [...before.events];
  for (const { key, value, partition } of records) {
    for (const line of Buffer.from(value).toString('utf8').split('\n')) {
      linesIn[partition] = (linesIn[partition] as number) + 1;
      there.set(nameOf(line), (there.get(nameOf(line)) ?? 0) + 1);
      linesOf.set(key, (linesOf.get(key) ?? 0) + 1);
    }
  }
  const sent = new Set([...load.lines.values()].flat().map(nameOf));
  const wrong = [
    ...linesIn.flatMap((lines, partition) =>
      lines === events[partition]
        ? []
        : [`partition ${partition} counted ${events[partition]} events, the log has ${lines}`],
    ),
    ...(await system.query('select * from rows.parked')).map(
      (row) => `a table is parked: ${JSON.stringify(row)}`,
    ),
    ...[...there.keys()]
      .filter((name) => !sent.has(name))
      .map((name) => `${name} is in the log and was never sent`),
  ];
  const counted = { admitted: 0, findings: 0 };
  for (const [table, lines] of load.lines) {
    const [rows, expected] = [await rowsOf(system, table), expectedOf(lines)];
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

/** Where every partition of the log ends. */
const headsOf = (system: System): Promise<number[]> =>
  system.withLog((log) =>
    Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => log.head(partition))),
  );

/** Until the rows stand where the log ends. */
async function caughtUp(system: System, heads: readonly number[]): Promise<void> {
  await eventually(
    'the rows at the head of the log',
    async () => {
      const rows = await system.query<{
        partition: number;
        next: string;
        stopped_reason: string | null;
      }>('select partition, next, stopped_reason from rows.position order by partition');
      const stopped = rows.find(({ stopped_reason: why }) => why !== null);
      if (stopped)
        return new Error(`partition ${stopped.partition} is stopped: ${stopped.stopped_reason}`);
      return rows.length === PARTITIONS && rows.every(({ next }, i) => Number(next) === heads[i]);
    },
    CATCH_UP_MS_MAX,
  ).then((seen) => {
    if (seen instanceof Error) throw seen;
  });
}

/** The records of every partition, each of which is to follow the one before it. */
async function recordsBetween(
  system: System,
  from: readonly number[],
  to: readonly number[],
): Promise<StoredRecord[]> {
  return system.withLog(async (log) => {
    const all: StoredRecord[] = [];
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      for (let next = from[partition] as number; next < (to[partition] as number);) {
        for (const record of await log.read(partition, next)) {
          if (record.offset !== next)
            throw new Error(`partition ${partition} has ${record.offset} where ${next} must be`);
          all.push(record);
          next += 1;
        }
      }
    return all;
  });
}

/** What of a table's rows is not what the fold makes of the events that were sent, each once. */
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

/** The name of a simulated event: its source and id stand first on its line, and hold nothing that JSON escapes. */
const nameOf = (line: string): string => `${SOURCE.exec(line)?.[1]}#${ID.exec(line)?.[1]}`;
