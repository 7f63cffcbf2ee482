import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { sessionWithoutPassword } from '#api';
import { FINDING_CODES, simulateTables, type RuleBook } from '#audit';
import type { EventLog } from '#event-log';

/** A shoe takes about an hour, and the day is open for eighteen. */
const SHOES = 18;
/** Faults of each table's last shoe, which corrections still reach. The tables take them in turn. */
const OF_LAST_SHOES = ['PY-03/26', 'RS-01/17', 'TC-08/36', 'TC-05/12'].map((fault) =>
  fault.replace('/', `@${SHOES}/`),
);

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
    faults: [
      ...FINDING_CODES.filter((code) => code !== 'DL-05' && code !== 'PY-05' && code !== 'PR-07'),
      ...OF_LAST_SHOES,
    ],
  },
  { rules: 'ez-baccarat@1', tables: ['E01'], faults: ['PY-05', 'PY-03', 'TC-07'] },
  { rules: 'nsw-crown@1', tables: ['N01'], faults: ['DL-05', 'PR-07', 'CM-02'] },
];
const SEED = 'sample-day';
const CURRENCY = 'MOP';
const OPENS_AT = 'T03:00:00Z';

const REQUEST_BYTES = 2 * 1024 * 1024;
const AGAIN_MS = 200;
const TRIES_MAX = 100;
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
 * If interrupted, the next start sends everything again, and admission counts each event once.
 * Returns the number of events.
 */
export async function dealSampleDay(
  app: NestFastifyApplication,
  { name }: Administrator,
  {
    book,
    folder,
    basePath,
    now,
  }: {
    readonly book: RuleBook;
    readonly folder: string;
    readonly basePath: string;
    readonly now: Date;
  },
): Promise<number> {
  const start = startOf(folder, now);
  const client = new Client(app, basePath);
  const token = await sessionWithoutPassword(app, name);
  const key = await client.ask<{ id: string; token: string }>('POST', '/v1/keys', token, {
    name: `sample-day-${now.getTime()}`,
    sources: ['device/*', 'person/*'],
    tables: PITS.flatMap(({ tables }) => tables),
    types: ['*'],
  });
  let events = 0;
  for (const [count, body] of requests(sampleDayLines(book, start))) {
    await client.record(key.token, body);
    events += count;
  }
  await client.ask('DELETE', `/v1/keys/${key.id}`, token);
  await client.ask('POST', '/v1/sign-out', token);
  rmSync(markOf(folder));
  return events;
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

/**
 * A client of the api that does not use the network, so a certificate need not be valid for this
 * machine's own name.
 */
class Client {
  constructor(
    private readonly app: NestFastifyApplication,
    private readonly basePath: string,
  ) {}

  async ask<Answer>(
    method: 'POST' | 'DELETE',
    path: string,
    token?: string,
    body?: object,
  ): Promise<Answer> {
    const answer = await this.app.inject({
      method,
      url: `${this.basePath}${path}`,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body && { payload: body }),
    });
    if (answer.statusCode >= 300)
      throw new Error(
        `the sample day could not be dealt: ${method} ${path} answered ${answer.statusCode} ${answer.body}`,
      );
    return (answer.body === '' ? undefined : answer.json()) as Answer;
  }

  /** Sends events and retries while the log accepts none, so that no event of the day is lost. */
  async record(key: string, body: Buffer): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.app.inject({
        method: 'POST',
        url: `${this.basePath}/v1/events`,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
        payload: body,
      });
      if (answer.statusCode === 202) return;
      if (![503, 504].includes(answer.statusCode) || tries === TRIES_MAX)
        throw new Error(
          `the sample day could not be dealt: POST /v1/events answered ${answer.statusCode} ${answer.body}`,
        );
      await pause(AGAIN_MS);
    }
  }
}
