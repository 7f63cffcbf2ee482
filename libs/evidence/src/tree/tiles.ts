import { FormatFault } from '../text-lines.js';
import { HASH_BYTES, type Sha256 } from '../cryptography.js';
import { joinBytes } from '../bytes.js';
import { Frontier, type NodeRef } from './merkle.js';
import type { ReadNodes } from './proofs.js';

/** Hashes or entries of a full tile (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
/** Levels of the tree from one level of tiles to the next. */
const TILE_HEIGHT = 8;
const TILE_LEVEL_MAX = 63;
const ENTRY_BYTES_MAX = 0xffff;

/** A tile: `width` hashes of level `level * 8` of the tree, from hash `index * 256` on. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  /** 256 of a full tile, less of the last one of its level. */
  readonly width: number;
}

/** A bundle of the entries themselves, with the same index and width as its tile at level 0. */
export interface EntryBundle {
  readonly index: number;
  readonly width: number;
}

/** Returns the path of a tile (C2SP tlog-tiles): `tile/0/x001/x234/067.p/5`. */
export function tilePath(tile: Tile): string {
  return `tile/${tile.level}/${numberedPath(tile)}`;
}

/** Returns the path of a bundle of entries: `tile/entries/000.p/3`. */
export function entriesPath(bundle: EntryBundle): string {
  return `tile/entries/${numberedPath(bundle)}`;
}

/** Returns the tile or the bundle of entries that a path names, or undefined if it names neither. */
export function readTilePath(path: string): Tile | EntryBundle | undefined {
  const found = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(
    path,
  );
  const [, level = '', digits = '', partial] = found ?? [];
  const index = Number(digits.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  const isWidth = partial === undefined || width < TILE_WIDTH;
  if (found === null || !isWidth || !Number.isSafeInteger(index)) return undefined;
  if (digits !== indexPath(index)) return undefined;
  if (level === 'entries') return { index, width };
  return Number(level) > TILE_LEVEL_MAX ? undefined : { level: Number(level), index, width };
}

/**
 * Returns the tiles that a tree of `size` leaves has and one of `from` leaves has not, the partial
 * ones too.
 */
export function tilesBetween(from: number, size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0, before = from, hashes = size; hashes > 0; level += 1) {
    if (hashes > before) {
      for (let index = Math.floor(before / TILE_WIDTH); index * TILE_WIDTH < hashes; index += 1) {
        tiles.push({ level, index, width: Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH) });
      }
    }
    before = Math.floor(before / TILE_WIDTH);
    hashes = Math.floor(hashes / TILE_WIDTH);
  }
  return tiles;
}

/**
 * Returns a reader of nodes over the tiles of a tree of `size` leaves. `readTile` returns the
 * hashes of one tile, one after the other. Rejects if a node is not in the tree, or a tile has
 * another length than its width says.
 */
export function nodesFromTiles(
  sha256: Sha256,
  size: number,
  readTile: (tile: Tile) => Promise<Uint8Array> | Uint8Array,
): ReadNodes {
  return async (nodes) => {
    const read = new Map<string, Promise<Uint8Array>>();
    const hashesOf = (tile: Tile): Promise<Uint8Array> => {
      const path = tilePath(tile);
      const bytes = read.get(path) ?? Promise.resolve(readTile(tile));
      read.set(path, bytes);
      return bytes;
    };
    return Promise.all(
      nodes.map(async (node) => {
        const { tile, first, count } = placeInTiles(node, size);
        return subtreeRoot(sha256, await hashesOf(tile), { tile, first, count });
      }),
    );
  };
}

/** Where the hashes under a node lie: `count` of them in one tile, from `first` on. */
interface PlaceInTile {
  readonly tile: Tile;
  readonly first: number;
  readonly count: number;
}

function placeInTiles(node: NodeRef, size: number): PlaceInTile {
  if ((node.index + 1) * 2 ** node.level > size) {
    throw new RangeError(`node ${node.index} of level ${node.level} is not in ${size} leaves`);
  }
  const level = Math.floor(node.level / TILE_HEIGHT);
  const count = 2 ** (node.level % TILE_HEIGHT);
  const index = Math.floor((node.index * count) / TILE_WIDTH);
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  const width = Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH);
  return { tile: { level, index, width }, first: node.index * count - index * TILE_WIDTH, count };
}

function subtreeRoot(sha256: Sha256, bytes: Uint8Array, place: PlaceInTile): Uint8Array {
  if (bytes.length !== place.tile.width * HASH_BYTES) {
    throw new RangeError(
      `${tilePath(place.tile)} has ${bytes.length} bytes, not ${place.tile.width * HASH_BYTES}`,
    );
  }
  const frontier = new Frontier(sha256);
  for (let at = place.first; at < place.first + place.count; at += 1) {
    frontier.append(bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  }
  return frontier.root();
}

/** Returns entries as a bundle: each after its length in two bytes. Throws a `RangeError` if one is too long. */
export function entriesBundle(entries: readonly Uint8Array[]): Uint8Array {
  return joinBytes(
    ...entries.flatMap((entry) => {
      if (entry.length > ENTRY_BYTES_MAX) {
        throw new RangeError(`an entry has at most ${ENTRY_BYTES_MAX} bytes, not ${entry.length}`);
      }
      return [Uint8Array.of(entry.length >> 8, entry.length & 255), entry];
    }),
  );
}

/** Returns the entries of a bundle. Throws a `FormatFault` if it is cut off, or has too many. */
export function readEntriesBundle(bytes: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    const end = at + 2 + length;
    if (at + 2 > bytes.length || end > bytes.length || entries.length === TILE_WIDTH) {
      throw new FormatFault(entries.length + 1, 'is not an entry after its length in two bytes');
    }
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}

function numberedPath(part: EntryBundle): string {
  return indexPath(part.index) + (part.width === TILE_WIDTH ? '' : `.p/${part.width}`);
}

/** Three digits a folder, all but the last with an `x` before them. */
function indexPath(index: number): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  return padded.replaceAll(/\d{3}(?=\d)/g, 'x$&/');
}
