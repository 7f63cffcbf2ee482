import type pg from 'pg';
import { newClient } from '#postgres';
import { asError, within } from '#process';
import { LOG_CONNECTION } from './sessions.js';

/** What a log reports about its server. */
export interface ServerHealth {
  readonly reachable: boolean;
  readonly powerSafe: boolean;
  readonly notes: readonly string[];
}

interface Setting {
  readonly name: string;
  readonly setting: string;
}

const SETTINGS = `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')
union all select 'recovery', pg_is_in_recovery()::text`;
const ANSWER_MS_MAX = 2000;

const UNSAFE: Readonly<Record<string, string>> = {
  fsync:
    'not power-safe: fsync is off on the PostgreSQL server, so a loss of power loses acknowledged records or the whole database',
  full_page_writes:
    'not power-safe: full_page_writes is off on the PostgreSQL server, so a loss of power may leave torn pages',
};

/**
 * Checks the server over a separate connection, so that a full pool does not look like an
 * unreachable server.
 */
export async function serverHealth(url: string): Promise<ServerHealth> {
  const client = newClient(url, LOG_CONNECTION);
  try {
    const { rows } = await within(ANSWER_MS_MAX, settingsOf(client));
    return judged(new Map(rows.map(({ name, setting }) => [name, setting])));
  } catch (error) {
    return {
      reachable: false,
      powerSafe: false,
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
  if (settings.get('recovery') === 'true')
    notes.push('the PostgreSQL server is a standby: nothing can be appended');
  return { reachable: true, powerSafe: unsafe.length === 0, notes };
}
