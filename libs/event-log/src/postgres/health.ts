import type pg from 'pg';
import { newClient } from '#postgres';
import { asError, within } from '#process';
import type { LogHealth } from '../port.js';
import { LOG_CONNECTION } from './sessions.js';

/** What a log reports about its server. */
export type ServerHealth = Pick<LogHealth, 'reachable' | 'takesRecords' | 'powerSafe' | 'notes'>;

interface Setting {
  readonly name: string;
  readonly setting: string;
}

const SETTINGS = `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
union all select 'recovery', pg_is_in_recovery()::text
union all select 'read-only', current_setting('transaction_read_only')`;
const ANSWER_MS_MAX = 2000;

const UNSAFE: Readonly<Record<string, string>> = {
  fsync:
    'not power-safe: fsync is off on the PostgreSQL server, so a loss of power loses acknowledged records or the whole database',
  full_page_writes:
    'not power-safe: full_page_writes is off on the PostgreSQL server, so a loss of power may leave torn pages',
};

const STANDBY = 'the PostgreSQL server is a standby: nothing can be appended';
const READ_ONLY =
  'transactions are read-only on the PostgreSQL server or in this database: nothing can be appended';

/**
 * Checks the server over a separate connection, so that a full pool does not look like an
 * unreachable server. `trial` appends something and takes it back; without it, the server is
 * believed to take records unless it says otherwise.
 */
export async function serverHealth(
  url: string,
  trial?: (client: pg.ClientBase) => Promise<void>,
): Promise<ServerHealth> {
  const client = newClient(url, LOG_CONNECTION);
  try {
    const { rows } = await within(ANSWER_MS_MAX, settingsOf(client));
    const health = judged(new Map(rows.map(({ name, setting }) => [name, setting])));
    if (!trial || !health.takesRecords) return health;
    const refusal = await within(ANSWER_MS_MAX, trial(client)).then(
      () => undefined,
      (error: unknown) => `the PostgreSQL server takes no records: ${asError(error).message}`,
    );
    if (refusal === undefined) return health;
    return { ...health, takesRecords: false, notes: [...health.notes, refusal] };
  } catch (error) {
    return {
      ...{ reachable: false, takesRecords: false, powerSafe: false },
      notes: [`PostgreSQL cannot be reached: ${asError(error).message}`],
    };
  } finally {
    void client.end().catch(() => undefined); // it never connected
  }
}

async function settingsOf(client: pg.Client): Promise<pg.QueryResult<Setting>> {
  await client.connect();
  return client.query<Setting>(SETTINGS);
}

function judged(settings: ReadonlyMap<string, string>): ServerHealth {
  const unsafe = Object.keys(UNSAFE).filter((name) => settings.get(name) !== 'on');
  const notes = unsafe.map((name) => UNSAFE[name] as string);
  if (['off', 'local'].includes(settings.get('synchronous_commit') as string))
    notes.push(
      `synchronous_commit is ${settings.get('synchronous_commit') as string} on the PostgreSQL server; the log's own transactions switch it on`,
    );
  const isStandby = settings.get('recovery') === 'true';
  const isReadOnly = settings.get('read-only') === 'on';
  if (isStandby) notes.push(STANDBY);
  else if (isReadOnly) notes.push(READ_ONLY);
  const takesRecords = !isStandby && !isReadOnly;
  return { reachable: true, takesRecords, powerSafe: unsafe.length === 0, notes };
}
