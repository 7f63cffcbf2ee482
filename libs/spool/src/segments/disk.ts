import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '#process';

/** A file in the folder of a spool. */
export interface SpoolFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was last changed, in milliseconds since 1970, by the clock that `Date.now` reads. */
  readonly modifiedMs: number;
}

/**
 * All that a spool asks of its disk: six calls that change it, and two that read. A change lasts
 * through a loss of power only after `sync` of its file. A name that was created or removed lasts
 * only after `syncFolder`. Each call rejects if the disk refuses it.
 */
export interface SpoolDisk {
  /** Makes an empty file. Rejects if the name exists. */
  create(name: string): Promise<void>;
  /** Writes bytes at the end of a file. */
  append(name: string, bytes: Uint8Array): Promise<void>;
  sync(name: string): Promise<void>;
  /** Cuts a file to this length. */
  truncate(name: string, bytes: number): Promise<void>;
  remove(name: string): Promise<void>;
  syncFolder(): Promise<void>;
  /** Returns every file of the folder, in no particular order. */
  list(): Promise<readonly SpoolFile[]>;
  /** Returns these bytes of a file, or fewer where it ends earlier. */
  read(name: string, from: number, bytes: number): Promise<Buffer>;
}

const OWNER_ONLY = 0o600;
const FOLDER_OF_OWNER = 0o700;

/** A folder of a real file system. Files are readable by their owner only. */
export class FolderDisk implements SpoolDisk {
  /** The file that was written last stays open: a spool appends to one file at a time. */
  private written: { readonly name: string; readonly handle: FileHandle } | undefined;

  constructor(readonly folder: string) {}

  /** Makes the folder unless it exists. */
  async make(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: FOLDER_OF_OWNER });
  }

  async create(name: string): Promise<void> {
    await this.close();
    const { O_CREAT, O_EXCL, O_WRONLY, O_APPEND } = constants;
    const flags = O_CREAT | O_EXCL | O_WRONLY | O_APPEND;
    this.written = { name, handle: await open(this.path(name), flags, OWNER_ONLY) };
  }

  async append(name: string, bytes: Uint8Array): Promise<void> {
    const handle = await this.handleOf(name);
    for (let at = 0; at < bytes.length;)
      at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }

  async sync(name: string): Promise<void> {
    await (await this.handleOf(name)).datasync();
  }

  async truncate(name: string, bytes: number): Promise<void> {
    await (await this.handleOf(name)).truncate(bytes);
  }

  async remove(name: string): Promise<void> {
    if (this.written?.name === name) await this.close();
    await unlink(this.path(name));
  }

  async syncFolder(): Promise<void> {
    const handle = await open(this.folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async list(): Promise<readonly SpoolFile[]> {
    const entries = await readdir(this.folder, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const found = await Promise.all(files.map(({ name }) => this.look(name)));
    return found.filter((file) => file !== undefined);
  }

  async read(name: string, from: number, bytes: number): Promise<Buffer> {
    const handle = await open(this.path(name), 'r');
    try {
      const buffer = Buffer.allocUnsafe(bytes);
      let length = 0;
      while (length < bytes) {
        const { bytesRead } = await handle.read(buffer, length, bytes - length, from + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await handle.close();
    }
  }

  /** Closes the file that is open for writing. */
  async close(): Promise<void> {
    const { written } = this;
    this.written = undefined;
    await written?.handle.close();
  }

  /** Returns a file, or undefined if it was removed since the folder was read. */
  private async look(name: string): Promise<SpoolFile | undefined> {
    try {
      const { size, mtimeMs } = await stat(this.path(name));
      return { name, bytes: size, modifiedMs: mtimeMs };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  private async handleOf(name: string): Promise<FileHandle> {
    if (this.written?.name === name) return this.written.handle;
    await this.close();
    const handle = await open(this.path(name), constants.O_WRONLY | constants.O_APPEND);
    this.written = { name, handle };
    return handle;
  }

  private path(name: string): string {
    return join(this.folder, name);
  }
}
