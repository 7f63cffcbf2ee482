import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { readVkey, type Signer } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { signerIn, syncFolder, type KeyFile } from '#seal-store';

/** Returns the file of the key that comes after the one in a file, until it takes that place. */
export const nextOf = ({ setting, path }: KeyFile): KeyFile => ({ setting, path: `${path}.next` });

/**
 * Replaces a key that is not in force by the next key. Changes nothing unless the next key
 * is in force. A crash in between is completed by the next call.
 */
export function replaceKeyFile(file: KeyFile, name: string, inForce: ReadonlySet<string>): void {
  const next = signerIn(nextOf(file), name);
  if (!next || !inForce.has(next.vkey)) return;
  const ended = signerIn(file, name);
  if (ended && inForce.has(ended.vkey)) return;
  if (ended) renameSync(file.path, endedPath(file, ended));
  renameSync(nextOf(file).path, file.path);
  syncFolder(dirname(file.path));
}

/** Sets aside a next key that must not be used. */
export function dropNextKey(file: KeyFile, name: string): void {
  const next = signerIn(nextOf(file), name);
  if (next) renameSync(nextOf(file).path, endedPath(file, next));
}

/** Where the file of a retired key goes: its name has the id of the key. */
const endedPath = ({ path }: KeyFile, { vkey }: Signer): string =>
  `${path}.${readVkey(nodeCryptography.sha256, vkey).id}.ended`;
