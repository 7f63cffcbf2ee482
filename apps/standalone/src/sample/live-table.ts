import { setTimeout as pause } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FIRST_ADMIN, sessionWithoutPassword } from '#api';
import { simulate, SimulationRefusal, type RuleBook } from '#audit';
import { Refusal } from '#process';
import { SampleClient } from './sample-client.js';
import { SAMPLE_TABLES } from './sample-day.js';

const RULES = 'punto-banco@1';
const CURRENCY = 'MOP';
/** Its devices number what they send, so each start and each day deals at a table of its own. */
const LIVE_TABLE = /^L\d{2,4}$/;
/** About a day. Then the next table opens. */
const SHOES = 18;
/** One coup in six is faulty. The codes take turns. */
const FAULTS = ['TC-08', 'PY-03', 'RS-01', 'TC-05', 'CM-04', 'PY-01'];
const FIRST_FAULT = 3;
const COUPS_BETWEEN_FAULTS = 6;
/** Every shoe of eight decks has more coups than this. */
const LAST_FAULT = 55;

/** Devices come online, people sign on and the shoe is burned in the minute before the first coup. */
const BEGUN_BEFORE_MS = 60_000;
const TICK_MS = 250;
const LINES_MAX = 1_000;

/** A table that is dealt while the server runs. */
export interface LiveTable {
  /** Stops dealing. The table stays as it is, also within a coup. */
  readonly close: () => Promise<void>;
}

/**
 * Deals one more table at the pace of play: each event is sent when its time has come, and a coup
 * takes about 45 seconds. Now and then a coup has a fault. Throws `Refusal` if the log holds a
 * table that is not of the sample day, because this play must not enter a record of real play.
 */
export async function dealLiveTable(
  app: NestFastifyApplication,
  { book, basePath, logger }: Parts,
): Promise<LiveTable> {
  const client = new SampleClient(app, basePath);
  const stopped = new AbortController();
  const session: Session = {
    client,
    stopped: stopped.signal,
    asAdmin: async (work) => {
      const token = await sessionWithoutPassword(app, FIRST_ADMIN);
      const result = await work(token);
      await client.ask('POST', '/v1/sign-out', { token });
      return result;
    },
  };
  const first = nextNumber(await tablesOf(session));
  const dealt = dealTables(session, book, first).catch((error: unknown) => {
    logger.error({ message: 'live table stopped', error: String(error) });
  });
  return {
    close: async () => {
      stopped.abort();
      await dealt;
    },
  };
}

interface Parts {
  readonly book: RuleBook;
  readonly basePath: string;
  readonly logger: Pick<LoggerService, 'error'>;
}

interface Session {
  readonly client: SampleClient;
  readonly stopped: AbortSignal;
  /** Works in a session that lasts no longer than the work. */
  readonly asAdmin: <Result>(work: (token: string) => Promise<Result>) => Promise<Result>;
}

/** Returns the tables of the log. Throws `Refusal` unless all are of the sample day or dealt live. */
async function tablesOf({ client, asAdmin }: Session): Promise<readonly string[]> {
  const { lines } = await asAdmin((token) =>
    client.ask<{ lines: { table: string }[] }>('GET', '/v1/tables?limit=1000', { token }),
  );
  const tables = lines.map(({ table }) => table);
  const foreign = tables.find((table) => !SAMPLE_TABLES.includes(table) && !LIVE_TABLE.test(table));
  const missing = SAMPLE_TABLES.find((table) => !tables.includes(table));
  if (foreign !== undefined)
    throw new Refusal(
      `--live deals beside the sample day only, and this log holds table ${foreign}; start without --live, or with another SHOEPRINT_DATA`,
    );
  if (missing !== undefined)
    throw new Refusal(
      `--live deals beside the sample day only, and this log has no table ${missing}; start with another SHOEPRINT_DATA`,
    );
  return tables;
}

const nextNumber = (tables: readonly string[]): number =>
  1 +
  Math.max(
    0,
    ...tables.filter((table) => LIVE_TABLE.test(table)).map((table) => Number(table.slice(1))),
  );

/** Deals table after table until it is stopped. */
async function dealTables(session: Session, book: RuleBook, first: number): Promise<void> {
  for (let number = first; !session.stopped.aborted; number += 1) {
    const table = `L${String(number).padStart(2, '0')}`;
    const start = new Date(Date.now() - BEGUN_BEFORE_MS);
    const lines = liveLines(book, table, start);
    await asDeviceOf(table, session, (key) => play(lines, session, key)).catch((error: unknown) => {
      // Very rarely the cards of a shoe do not allow a fault: then the next table opens.
      if (!(error instanceof SimulationRefusal)) throw error;
    });
  }
}

/** Returns the events of a live table that opens at `start`, each at its own time. */
export function liveLines(book: RuleBook, table: string, start: Date): Generator<string> {
  const rules = book.get(RULES);
  if (!rules) throw new Error(`the rule document ${RULES} is not installed`);
  const faults: string[] = [];
  for (let shoe = 1; shoe <= SHOES; shoe += 1)
    for (let coup = FIRST_FAULT; coup <= LAST_FAULT; coup += COUPS_BETWEEN_FAULTS)
      faults.push(`${FAULTS[faults.length % FAULTS.length]}@${shoe}/${coup}`);
  const seed = `live ${start.toISOString()}`;
  return simulate({
    ...{ rules, seed, table, faults, shoes: SHOES, currency: CURRENCY, bets: true },
    start: start.toISOString(),
  }).lines;
}

/** Makes a device key for one table, and revokes it afterwards. */
async function asDeviceOf(
  table: string,
  { client, asAdmin }: Session,
  work: (key: string) => Promise<void>,
): Promise<void> {
  const body = {
    name: `live-${table}-${Date.now()}`,
    sources: ['device/*', 'person/*'],
    tables: [table],
    types: ['*'],
  };
  const key = await asAdmin((token) =>
    client.ask<{ id: string; token: string }>('POST', '/v1/keys', { token, body }),
  );
  try {
    await work(key.token);
  } finally {
    await asAdmin((token) => client.ask('DELETE', `/v1/keys/${key.id}`, { token }));
  }
}

/** Sends each line when its time has come, until all are sent or the server stops. */
async function play(
  lines: Generator<string>,
  { client, stopped }: Session,
  key: string,
): Promise<void> {
  for (let next = lines.next(); !next.done && !stopped.aborted;) {
    const due: string[] = [];
    for (const now = Date.now(); !next.done && due.length < LINES_MAX; next = lines.next()) {
      if (timeOf(next.value) > now) break;
      due.push(next.value);
    }
    if (due.length > 0) await client.record(key, Buffer.from(due.join('\n')));
    await pause(TICK_MS, undefined, { signal: stopped }).catch(() => undefined); // it stops
  }
}

const timeOf = (line: string): number =>
  Date.parse((JSON.parse(line) as { readonly time: string }).time);
