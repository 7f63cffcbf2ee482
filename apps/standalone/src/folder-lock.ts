import pg from 'pg';
import { Refusal } from '#process';

/** Any number; it is the same for every server that would use a folder. */
const LOCK = 7_246_317;

/** Another server runs on this data folder. */
export class FolderInUse extends Refusal {
  override readonly name = 'FolderInUse';
}

/**
 * Takes a data folder for this process, by a lock in its own database, which ends with the process
 * however it ends. Throws `FolderInUse` where another has it. The function given back lets go.
 */
export async function lockFolder(
  databaseUrl: string,
  folder: string,
): Promise<() => Promise<void>> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'shoeprint-standalone',
    keepAlive: true,
  });
  // The server's own end is told to whoever uses it; the lock needs no word of its own.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_lock($1) as taken',
    [LOCK],
  );
  if (rows[0]?.taken) return () => client.end();
  await client.end();
  throw new FolderInUse(`another server runs on ${folder}`);
}
