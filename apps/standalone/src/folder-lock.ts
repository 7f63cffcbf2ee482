import { newClient } from '#postgres';
import { Refusal } from '#process';

/** Any constant. Every server that uses a folder takes the same lock. */
const LOCK = 7_246_317;

/** Thrown if another server runs on this data folder. */
export class FolderInUse extends Refusal {
  override readonly name = 'FolderInUse';
}

/**
 * Locks a data folder for this process with a lock in the folder's own database, which ends with
 * the process in every case. Throws `FolderInUse` if another process holds it. The returned
 * function releases the lock. Calls `onLost` if the database ends the session of the lock before:
 * then it has ended, or has ended all sessions after a fault, and another server may lock the
 * folder.
 */
export async function lockFolder(
  databaseUrl: string,
  folder: string,
  onLost: () => void = () => undefined,
): Promise<() => Promise<void>> {
  const client = newClient(databaseUrl, { applicationName: 'shoeprint-standalone' });
  let isReleased = false;
  client.once('end', () => {
    if (!isReleased) onLost();
  });
  const release = (): Promise<void> => {
    isReleased = true;
    return client.end();
  };
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_lock($1) as taken',
    [LOCK],
  );
  if (rows[0]?.taken) return release;
  await release();
  throw new FolderInUse(`another server runs on ${folder}`);
}
