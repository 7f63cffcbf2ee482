import { newClient } from '#postgres';
import { LOG_CONNECTION } from './sessions.js';

/** A user of the database who may append under one key only. */
export interface KeyLimit {
  readonly role: string;
  readonly key: string;
}

/**
 * Lets a user of the database append to its log under one key only, from now on. `url` is the
 * address of the log's owner. Reading is not limited. Does nothing if the database has no log.
 */
export async function limitToKey(url: string, { role, key }: KeyLimit): Promise<void> {
  const client = newClient(url, LOG_CONNECTION);
  await client.connect();
  try {
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regclass('log.limited') is not null as there`,
    );
    if (rows[0]?.there === true)
      await client.query(
        `insert into log.limited (role, key) values ($1, $2)
         on conflict (role) do update set key = excluded.key`,
        [role, key],
      );
  } finally {
    await client.end();
  }
}
