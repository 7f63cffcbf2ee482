import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '#process';

/** The names of an export's files: the package, and what an attempt to make it writes. */
const NAME =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\.zip|\.[0-9a-f]{8}\.(?:zip|zip\.part|work))$/;
/** A file is left alone if its export is not in the database yet, or its clock differs. */
const YOUNG_MS = 3_600_000;

/** Which of these files belong to an export under way. */
const UNDER_WAY = /\.(?:[0-9a-f]{8}\.zip|zip\.part|work)$/;

/** The folder of packages, each under the id of its export. */
export class PackageFolder {
  constructor(private readonly folder: string) {}

  /** Returns the zip file of an export. */
  fileOf(id: string): string {
    return join(this.folder, `${id}.zip`);
  }

  /**
   * Returns where an attempt to make a package writes, which no other attempt does: a server that
   * lost its lease may still be making it. `attempt`: eight hexadecimal digits.
   */
  attemptOf(id: string, attempt: string): { readonly file: string; readonly work: string } {
    const path = join(this.folder, `${id}.${attempt}`);
    return { file: `${path}.zip`, work: `${path}.work` };
  }

  /** Makes what an attempt made the package of the export. */
  async keep(id: string, attempt: string): Promise<void> {
    await rename(this.attemptOf(id, attempt).file, this.fileOf(id));
  }

  /** Removes the files of an attempt. */
  async removeAttempt(id: string, attempt: string): Promise<void> {
    const { file, work } = this.attemptOf(id, attempt);
    for (const path of [file, `${file}.part`, work])
      await rm(path, { recursive: true, force: true });
  }

  /** Creates the folder, for its owner alone. Does nothing if it exists. */
  async create(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Removes the files of an export, and of every attempt to make it. */
  async remove(id: string): Promise<void> {
    const names = await readdir(this.folder).catch(ifMissing);
    for (const name of names ?? [])
      if (NAME.exec(name)?.[1] === id)
        await rm(join(this.folder, name), { recursive: true, force: true });
  }

  /** Returns how many bytes exports under way have written here so far, by export. */
  async underWay(): Promise<ReadonlyMap<string, number>> {
    const bytes = new Map<string, number>();
    for (const name of await readdir(this.folder)) {
      const [, id] = NAME.exec(name) ?? [];
      if (id === undefined || !UNDER_WAY.test(name)) continue;
      bytes.set(id, (bytes.get(id) ?? 0) + (await sizeOf(join(this.folder, name))));
    }
    return bytes;
  }

  /** Returns the exports that have files here which did not change for an hour. */
  async old(): Promise<string[]> {
    const ids = new Set<string>();
    for (const name of await readdir(this.folder)) {
      const [, id] = NAME.exec(name) ?? [];
      if (id !== undefined && (await isOld(join(this.folder, name)))) ids.add(id);
    }
    return [...ids];
  }
}

async function isOld(path: string): Promise<boolean> {
  return Date.now() - ((await statOf(path))?.mtimeMs ?? Infinity) > YOUNG_MS;
}

/** Returns the bytes of a file, or of all files in a folder. */
async function sizeOf(path: string): Promise<number> {
  const found = await statOf(path);
  if (found?.isDirectory() !== true) return found?.size ?? 0;
  let bytes = 0;
  const names = await readdir(path).catch(ifMissing);
  for (const name of names ?? []) bytes += await sizeOf(join(path, name));
  return bytes;
}

/** Returns what is at a path, or undefined if it was removed meanwhile. */
const statOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(ifMissing);

function ifMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}
