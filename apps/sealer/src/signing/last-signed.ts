import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkpointText, readCheckpointText, type CheckpointBody } from '#evidence';
import { errorCode } from '#process';
import { syncFolder } from '#seal-store';

/** The last checkpoint that a key was used for, in a file beside the key. */
export class LastSigned {
  constructor(readonly path: string) {}

  /** Returns the checkpoint, or undefined if there is no file. Throws if the file is damaged. */
  read(): CheckpointBody | undefined {
    try {
      return readCheckpointText(readFileSync(this.path, 'utf8'));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw new Error(`${this.path}: ${String(error)}`, { cause: error });
    }
  }

  /** Replaces the checkpoint. It is durable once this returns. */
  write(checkpoint: CheckpointBody): void {
    const beside = `${this.path}.next`;
    writeFileSync(beside, checkpointText(checkpoint), { mode: 0o600 });
    const descriptor = openSync(beside, 'r+');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(beside, this.path);
    syncFolder(dirname(this.path));
  }
}
