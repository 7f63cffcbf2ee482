import { startAuditor, type RunningAuditor } from '#auditor';
import type { EventLog } from '#event-log';
import { SILENT } from '#server';
import { DataSource } from 'typeorm';
import { startApi, type StartApi, type TestApi } from './api.js';
import { createDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { BOOK } from './house.js';

/** Days that begin at midnight UTC. */
export const UTC_DAYS = [{ from: '2000-01-01', zone: 'UTC', cutover: '00:00' }];

/** An api and an auditor in this process, over a log and a database. */
export interface TestServer {
  readonly api: TestApi;
  readonly auditor: RunningAuditor;
  readonly url: string;
  readonly database: TestDatabase;
  /** Returns all lines of a list, however many pages it has. */
  readonly all: <Line>(path: string, token: string) => Promise<Line[]>;
  /** Resolves once the rows have followed the log to its end. */
  readonly caughtUp: () => Promise<void>;
  /** Ends the minute in which acts are counted, so that they go into the record of the house. */
  readonly endMinute: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Keeps acts that are counted for a minute off the log until a test ends the minute. If the clock
 * ended it, the log would grow in the middle of whatever test runs then.
 */
const MINUTES_DO_NOT_END = `
  create function access.until_the_test_says() returns trigger language plpgsql
    as $$ begin new.due_at := 'infinity'; return new; end $$;
  create trigger until_the_test_says before insert on access.outbox for each row
    when (new.due_at > clock_timestamp()) execute function access.until_the_test_says()`;

/**
 * Starts a server over the log that `open` returns for a database. `settings` are the api's.
 * `exportFrom` says what packages are made from. No minute in which acts are counted ends by
 * itself.
 */
export async function startServer(
  open: (databaseUrl: string) => Promise<EventLog>,
  settings: NonNullable<StartApi['settings']> = {},
  exportFrom?: (databaseUrl: string) => NonNullable<StartApi['exportFrom']>,
): Promise<TestServer> {
  const database = await createDatabase();
  const log = await open(database.url);
  const from = exportFrom?.(database.url);
  const api = await startApi({
    ...{ log, databaseUrl: database.url, settings },
    ...(from && { exportFrom: from }),
  });
  await api.app.get(DataSource).query(MINUTES_DO_NOT_END);
  const auditor = await startAuditor({
    log,
    databaseUrl: database.url,
    book: BOOK,
    gamingDays: UTC_DAYS,
    journal: SILENT,
  });
  return {
    api,
    auditor,
    database,
    url: await api.url(),
    all: (path, token) => allOf(api, path, token),
    caughtUp: () => caughtUp(auditor, log),
    endMinute: async () => {
      await api.app
        .get(DataSource)
        .query('update access.outbox set due_at = now() where gathered is not null');
    },
    close: async () => {
      await api.close();
      await auditor.close();
      await log.close();
      await database.drop();
    },
  };
}

async function caughtUp(auditor: RunningAuditor, log: EventLog): Promise<void> {
  await eventually(
    'the last event on the rows',
    async () => {
      const positions = await auditor.positions();
      const heads = await Promise.all(positions.map(({ partition }) => log.head(partition)));
      return positions.length > 0 && positions.every(({ next }, i) => next === heads[i]);
    },
    60_000,
  );
}

async function allOf<Line>(api: TestApi, path: string, token: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await api.send(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`,
      token,
    );
    if (answer.statusCode !== 200)
      throw new Error(`GET ${path} answered ${answer.statusCode} ${answer.body}`);
    const page = answer.json<{ lines: Line[]; next: string | null }>();
    lines.push(...page.lines);
    cursor = page.next;
  }
  return lines;
}
