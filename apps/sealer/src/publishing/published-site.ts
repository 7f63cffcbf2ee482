import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  entriesPath,
  FormatFault,
  leafHash,
  readCheckpoint,
  readEntriesBundle,
  rootOf,
  sameBytes,
  strictText,
  TILE_WIDTH,
  type SignedCheckpoint,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { fileRefusal, Refusal } from '#process';

const { sha256 } = nodeCryptography;

/** The site log as it was published to a folder. */
export interface PublishedSite {
  readonly checkpoint: SignedCheckpoint;
  /** The texts of all leaves. */
  readonly leaves: readonly string[];
}

/**
 * Reads the site log from its published tiles. The leaves have the root of the checkpoint; its
 * signature is for the caller to verify. Throws `Refusal` if the folder does not hold all of it.
 */
export function publishedSite(folder: string): PublishedSite {
  const checkpoint = inFile(join(folder, 'checkpoint'), readCheckpoint);
  const leaves: string[] = [];
  for (let index = 0; leaves.length < checkpoint.size; index += 1) {
    const width = Math.min(TILE_WIDTH, checkpoint.size - index * TILE_WIDTH);
    leaves.push(...bundle(folder, index, width));
  }
  const root = rootOf(
    sha256,
    leaves.map((text) => leafHash(sha256, Buffer.from(text))),
  );
  if (!sameBytes(root, checkpoint.root))
    throw new Refusal(`${folder}: its leaves do not have the root of its checkpoint`);
  return { checkpoint, leaves };
}

/** Returns the texts of a bundle, from the full one if that was written after the checkpoint. */
function bundle(folder: string, index: number, width: number): string[] {
  const read = (bytes: Uint8Array): string[] => readEntriesBundle(bytes).map(strictText);
  const file = (entries: number): string => join(folder, entriesPath({ index, width: entries }));
  try {
    return exactly(width, inFile(file(width), read), file(width));
  } catch (error) {
    if (width === TILE_WIDTH || !(error instanceof Refusal)) throw error;
    return exactly(width, inFile(file(TILE_WIDTH), read).slice(0, width), file(TILE_WIDTH));
  }
}

function exactly(width: number, texts: string[], file: string): string[] {
  if (texts.length !== width)
    throw new Refusal(`${file}: it has ${texts.length} leaves, not ${width}`);
  return texts;
}

function inFile<T>(file: string, read: (bytes: Uint8Array) => T): T {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw fileRefusal(file, error);
  }
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof FormatFault) throw new Refusal(`${file}: ${error.message}`);
    throw error;
  }
}
