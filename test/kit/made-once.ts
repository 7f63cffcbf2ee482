import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/**
 * Returns a folder below `folder` that is made once, by the first process that asks: `make` fills
 * the folder that it gets. The others wait. If `make` rejects, it is not tried again, and every
 * process that asks gets the reason at once.
 */
export async function madeOnce(
  folder: string,
  make: (empty: string) => Promise<void>,
  ms: number,
): Promise<string> {
  const making = join(folder, 'making');
  const ready = join(folder, 'ready');
  const failed = join(folder, 'failed');
  if (isFirst(join(folder, 'begun'))) {
    mkdirSync(making);
    await make(making).catch((error: unknown) => {
      writeFileSync(`${failed}.part`, error instanceof Error ? String(error.stack) : String(error));
      renameSync(`${failed}.part`, failed);
      throw error;
    });
    renameSync(making, ready);
  }
  const seen = await eventually(
    `the folder ${ready}`,
    () => [ready, failed].find((path) => existsSync(path)),
    ms,
  );
  if (seen === failed)
    throw new Error(`another process could not make ${ready}: ${readFileSync(failed, 'utf8')}`);
  return ready;
}

/** Returns whether no process has asked before. */
function isFirst(begun: string): boolean {
  try {
    mkdirSync(begun);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
