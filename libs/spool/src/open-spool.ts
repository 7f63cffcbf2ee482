import { asError, errorCode } from '#process';
import { FolderDisk } from './segments/disk.js';
import { lockSpool } from './holding/lock.js';
import type { SpoolOwner } from './owner.js';
import { refusalOf } from './refusals.js';
import type { SpoolSettings } from './settings.js';
import { Spool } from './spool.js';

/** What a process needs to open a spool. */
export interface SpoolOptions {
  /** Where its files are. Made if it is missing, readable by its owner only. */
  readonly folder: string;
  readonly owner: SpoolOwner;
  /** Returns what `spoolStatus` answers with, as JSON values and without secrets. */
  readonly status: () => unknown;
  readonly settings?: Partial<SpoolSettings>;
}

/**
 * Opens the spool in a folder and holds it until `close` or the end of the process. Rejects with
 * `SpoolHeld` if another process holds it, and with `SpoolRefused` if the folder cannot be used or
 * a newer program wrote it.
 */
export async function openSpool({ folder, owner, status, settings }: SpoolOptions): Promise<Spool> {
  const disk = new FolderDisk(folder);
  await disk.make().catch((error: unknown) => refuse(folder, error));
  const lock = await lockSpool(folder, status).catch((error: unknown) => refuse(folder, error));
  const end = async (): Promise<void> => {
    await disk.close();
    await lock.release();
  };
  try {
    return await Spool.open(disk, owner, settings, end);
  } catch (error) {
    await end();
    return refuse(folder, error);
  }
}

/** Throws a fault of the disk as a refusal that names the folder, and any other error as it is. */
function refuse(folder: string, error: unknown): never {
  if (errorCode(error) === undefined) throw error;
  throw refusalOf(error, `${folder}: the spool cannot be used (${asError(error).message})`);
}
