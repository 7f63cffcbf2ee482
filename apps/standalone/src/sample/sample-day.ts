import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { sessionWithoutPassword } from '#api';
import { FINDING_CODES, simulateTables, type RuleBook } from '#audit';
import type { EventLog } from '#event-log';
import { furthest, positionsFrom, positionsText, type Positions } from '#read-model';
import { SampleClient } from './sample-client.js';
import { ruleOnSampleDay, type Declared, type SampleDayDealt } from './sample-rulings.js';

/** A shoe takes about an hour, and the day is open for eighteen. */
const SHOES = 18;
/** Faults of each table's last shoe, which corrections still reach. The tables take them in turn. */
const OF_LAST_SHOES = ['PY-03/26', 'RS-01/17', 'TC-08/36', 'TC-05/12'].map((fault) =>
  fault.replace('/', `@${SHOES}/`),
);

/**
 * Faults that other tables have: three need other rules, and the last two would take from the shoe
 * of another fault what is to be seen there.
 */
const NOT_HERE = ['DL-05', 'PY-05', 'PR-07', 'DL-11', 'DV-06'];

/**
 * The pits of the sample floor: the game of each, its tables, and the faults that occur once each.
 */
const PITS: readonly {
  readonly rules: string;
  readonly tables: readonly string[];
  readonly faults: readonly string[];
}[] = [
  {
    rules: 'punto-banco@1',
    tables: ['B01', 'B02', 'B03', 'B04'],
    faults: [...FINDING_CODES.filter((code) => !NOT_HERE.includes(code)), ...OF_LAST_SHOES],
  },
  { rules: 'ez-baccarat@1', tables: ['E01'], faults: ['PY-05', 'PY-03', 'TC-07'] },
  { rules: 'nsw-crown@1', tables: ['N01'], faults: ['DL-05', 'PR-07', 'CM-02', 'DL-11', 'DV-06'] },
];
/** The tables of the sample day. */
export const SAMPLE_TABLES: readonly string[] = PITS.flatMap(({ tables }) => tables);
const SEED = 'sample-day';
const CURRENCY = 'MOP';
const OPENS_AT = 'T03:00:00Z';

const REQUEST_BYTES = 2 * 1024 * 1024;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Returns whether to deal a sample day: the log is empty, or an earlier start was interrupted while
 * it dealt one.
 */
export async function wantsSampleDay(log: EventLog, folder: string): Promise<boolean> {
  if (existsSync(markOf(folder))) return true;
  for (let partition = 0; partition < log.partitions; partition += 1)
    if ((await log.head(partition)) > 0) return false;
  return true;
}

/** The account that deals the sample day. It must be allowed to create keys. */
export interface Administrator {
  readonly name: string;
}

/**
 * Deals the gaming day before the one of `now` and sends its events as a device with its own key.
 * Then lets the people of the floor rule on some findings. If interrupted, the next start sends
 * everything again, and each event and act counts once. Returns the number of events dealt.
 */
export async function dealSampleDay(
  app: NestFastifyApplication,
  { name }: Administrator,
  {
    book,
    folder,
    basePath,
    policy,
    now,
  }: {
    readonly book: RuleBook;
    readonly folder: string;
    readonly basePath: string;
    /** The review policy in force. */
    readonly policy: string;
    readonly now: Date;
  },
): Promise<number> {
  const start = startOf(folder, now);
  const client = new SampleClient(app, basePath);
  const { events, ...dealt } = await deal(app, client, name, sampleDayLines(book, start));
  await ruleOnSampleDay(app, client, { policy, ...dealt });
  rmSync(markOf(folder));
  return events;
}

/** Sends the day's events as a device, and returns their number and how the day ended. */
async function deal(
  app: NestFastifyApplication,
  client: SampleClient,
  name: string,
  day: Iterable<string>,
): Promise<Omit<SampleDayDealt, 'policy'> & { readonly events: number }> {
  const token = await sessionWithoutPassword(app, name);
  const body = {
    name: `sample-day-${Date.now()}`,
    sources: ['device/*', 'person/*'],
    tables: SAMPLE_TABLES,
    types: ['*'],
  };
  const key = await client.ask<{ id: string; token: string }>('POST', '/v1/keys', { token, body });
  let events = 0;
  let reached: Positions = new Map();
  const ends = new DayEnds();
  for (const [count, lines] of requests(ends.watching(day))) {
    reached = furthest(reached, positionsFrom(await client.record(key.token, lines)));
    events += count;
  }
  await client.ask('DELETE', `/v1/keys/${key.id}`, { token });
  await client.ask('POST', '/v1/sign-out', { token });
  return { events, at: positionsText(reached), ...ends.found() };
}

/** The table whose last shoe has no findings. */
const CLEAN_TABLE = 'E01';

/** Finds the ends of the day among its lines: the last shoes, and the last declared outcome. */
class DayEnds {
  private readonly lastShoes = new Map<string, string>();
  private declared = '';

  *watching(lines: Iterable<string>): Generator<string> {
    for (const line of lines) {
      if (line.includes('"shoeprint.shoe-opened.v1"')) {
        const { table, shoe } = JSON.parse(line) as { table: string; shoe: string };
        this.lastShoes.set(table, shoe);
      }
      if (line.includes('"shoeprint.outcome-declared.v1"') && line.includes(`"${CLEAN_TABLE}"`))
        this.declared = line;
      yield line;
    }
  }

  found(): Pick<SampleDayDealt, 'lastShoes' | 'declared'> {
    return { lastShoes: this.lastShoes, declared: JSON.parse(this.declared) as Declared };
  }
}

/** Returns the events of the sample day that opens at `start`, as the devices send them. */
export function* sampleDayLines(book: RuleBook, start: string): Generator<string> {
  for (const { rules, tables, faults } of PITS) {
    const played = book.get(rules);
    if (!played) throw new Error(`the rule document ${rules} is not installed`);
    const game = { rules: played, tables, faults, shoes: SHOES, seed: SEED, bets: true };
    yield* simulateTables({ ...game, start, currency: CURRENCY }).lines;
  }
}

const markOf = (folder: string): string => join(folder, 'sample-day.begun');

/**
 * Returns the time at which the day began. An interrupted dealing noted it, so that the same events
 * are sent again; otherwise this notes it.
 */
function startOf(folder: string, now: Date): string {
  const mark = markOf(folder);
  if (existsSync(mark)) return readFileSync(mark, 'utf8').trim();
  const start = `${new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10)}${OPENS_AT}`;
  // A kill between creating a file and writing it would leave an empty one.
  writeFileSync(`${mark}.new`, `${start}\n`);
  renameSync(`${mark}.new`, mark);
  return start;
}

function* requests(lines: Iterable<string>): Generator<[count: number, body: Buffer]> {
  let held: string[] = [];
  let length = 0;
  for (const line of lines) {
    held.push(line);
    length += line.length + 1;
    if (length < REQUEST_BYTES) continue;
    yield [held.length, Buffer.from(held.join('\n'))];
    held = [];
    length = 0;
  }
  if (held.length > 0) yield [held.length, Buffer.from(held.join('\n'))];
}
