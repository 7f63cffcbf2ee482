import {
  HASH_BYTES,
  joinBytes,
  leafHash,
  namesText,
  readSeal,
  sameBytes,
  tableOfName,
  TILE_WIDTH,
  tilesBetween,
  utf8Of,
  type Seal,
  type Sha256,
} from '#evidence';
import {
  GrowingTree,
  headLeaf,
  HeadTree,
  LEAVES_MAX,
  NotSealed,
  type GrownRow,
  type SealedTable,
  type SealReader,
  type TreeName,
} from '#seal-store';
import type { OnFault, SignedSeals } from './signed-seals.js';

/** How many seals' heads are read at once. */
const SEALS_AT_ONCE = 100;
/** Tables that a fault names one by one. */
const NAMED_MAX = 5;

/** What a check of the stored trees works with. */
export interface StoredTreesParts {
  readonly reader: SealReader;
  readonly sha256: Sha256;
  readonly origin: string;
  readonly onFault: OnFault;
  /** Called with the bytes that were read. May wait, and rejects to end the check. */
  readonly pace: (bytes: number) => Promise<void>;
}

/**
 * Checks what is stored of the trees against signed seals: the heads of every seal, then the leaf
 * hashes of every table against those heads, and the tiles above them. Hashes that somebody has
 * edited together with the log do not have the roots that were signed.
 */
export class StoredTreesCheck {
  private names: readonly SealedTable[] = [];

  constructor(private readonly parts: StoredTreesParts) {}

  /** Checks all trees. */
  async run({ last, checkpoint }: SignedSeals): Promise<void> {
    if (!last) return;
    this.names = await this.parts.reader.names(last.number);
    await this.headsOf(checkpoint.size);
    for (const table of this.names) await this.leavesOf(table);
    const texts = async (from: number, to: number): Promise<Uint8Array> => {
      const entries = await this.parts.reader.entries(from, to);
      return joinBytes(...entries.map(({ text }) => leafHash(this.parts.sha256, utf8Of(text))));
    };
    await this.siteTree(checkpoint.size, texts);
  }

  private async headsOf(size: number): Promise<void> {
    const { reader, sha256 } = this.parts;
    const trees = { heads: new HeadTree(sha256), sizes: [] };
    for (let from = 0; from < size; from += SEALS_AT_ONCE) {
      const to = Math.min(size, from + SEALS_AT_ONCE);
      const grown = await reader.stored.grown(from, to - 1);
      for (const { kind, text, index } of await reader.entries(from, to))
        if (kind === 'seal') {
          const rows = grown.filter(({ seal }) => seal === index);
          this.sealHeads(readSeal(text), rows, trees);
        }
      await this.parts.pace(grown.length * HASH_BYTES);
    }
  }

  private sealHeads(
    seal: Seal,
    grown: readonly GrownRow[],
    { heads, sizes }: { readonly heads: HeadTree; readonly sizes: number[] },
  ): void {
    const { sha256, origin, onFault } = this.parts;
    for (const { number, size, root } of grown) {
      if (number > heads.size) break; // a head before it is gone: the root is wrong
      const name = this.nameOf(number);
      heads.set(number, headLeaf(sha256, { origin, name, size, root }));
      sizes[number] = size;
    }
    const names = namesText(this.names.slice(0, seal.tables).map(({ name }) => name));
    const sum = sizes.reduce((total, size) => total + size, 0);
    const isRight =
      heads.size === seal.tables &&
      sameBytes(heads.root(), seal.heads) &&
      sameBytes(sha256(utf8Of(names)), seal.names) &&
      sum === seal.next.reduce((total, next) => total + next, 0);
    if (isRight) return;
    const suspects = grown.map(({ number }) => tableOfName(this.nameOf(number)) ?? '?');
    const [only] = suspects;
    onFault({
      step: 5,
      kind: 'altered',
      message: `the stored heads are not those that seal ${seal.number} holds: ${
        suspects.length <= NAMED_MAX
          ? `records of ${suspects.join(', ')} were sealed by it`
          : `records of ${suspects.length} tables were sealed by it`
      }`,
      seal: seal.number,
      ...(suspects.length === 1 && { table: only }),
    });
  }

  private nameOf(number: number): string {
    return this.names[number]?.name ?? '';
  }

  /** Checks the stored leaf hashes of a table against its heads, up to the first that is wrong. */
  private async leavesOf({ number }: SealedTable): Promise<void> {
    const tree = new GrowingTree(this.parts.sha256);
    const tiles = new ComputedTiles();
    let before = 0;
    for await (const head of this.growth(number)) {
      const isThere = await this.grow({ number, tree, tiles }, head.size);
      if (!isThere || !sameBytes(tree.root(), head.root)) {
        await this.leavesDiffer(number, { head, before, isThere });
        return;
      }
      before = head.size;
    }
    await this.compareTiles(number, before, tiles);
  }

  private async *growth(number: number): AsyncGenerator<GrownRow> {
    for (let after = -1; ;) {
      const rows = await this.parts.reader.stored.growth(number, after);
      yield* rows;
      const last = rows.at(-1);
      if (!last) return;
      after = last.seal;
    }
  }

  /** Appends stored leaves up to a size. Returns whether they are there. */
  private async grow(
    { number, tree, tiles }: { number: number; tree: GrowingTree; tiles: ComputedTiles },
    size: number,
  ): Promise<boolean> {
    const { reader, pace } = this.parts;
    for (let from = tree.size; from < size;) {
      const to = Math.min(size, from - (from % LEAVES_MAX) + LEAVES_MAX);
      const hashes = await reader.leaves(number, from, to).catch(ifNotSealed);
      if (!hashes) return false;
      for (let at = 0; at < hashes.length; at += HASH_BYTES)
        for (const tile of tree.append(hashes.subarray(at, at + HASH_BYTES))) tiles.add(tile);
      await pace(hashes.length);
      from = to;
    }
    return true;
  }

  private async leavesDiffer(
    number: number,
    {
      head: { seal, size },
      before,
      isThere,
    }: { readonly head: GrownRow; readonly before: number; readonly isThere: boolean },
  ): Promise<void> {
    const { reader, onFault } = this.parts;
    const [position] =
      (await reader.positions(number, before, before + 1).catch(ifNotSealed)) ?? [];
    const which = size - before === 1 ? `record ${before}` : `records ${before} to ${size - 1}`;
    onFault({
      step: 6,
      kind: 'altered',
      message: isThere
        ? `the stored hashes of ${which} do not have the root of their head in seal ${seal}`
        : `the stored hashes of ${which}, which seal ${seal} holds, are gone`,
      table: tableOfName(this.nameOf(number)),
      record: before,
      ...position,
      seal,
    });
  }

  private async compareTiles(tree: TreeName, size: number, tiles: ComputedTiles): Promise<void> {
    const { reader, onFault, pace } = this.parts;
    for (const tile of tilesBetween(0, size)) {
      if (tile.level === 0) continue;
      const stored = await reader.tile(tree, tile).catch(ifNotSealed);
      const computed = tiles.hashes(tile.level - 1, tile.index * TILE_WIDTH, tile.width);
      await pace(computed.length);
      if (stored && sameBytes(stored, computed)) continue;
      const of = tree === 'site' ? 'the site log' : `table ${tableOfName(this.nameOf(tree))}`;
      onFault({
        step: 6,
        kind: 'altered',
        message: `tile ${tile.index} of level ${tile.level} of ${of} does not have the roots of its leaves`,
        ...(tree !== 'site' && { table: tableOfName(this.nameOf(tree)) }),
      });
    }
  }

  private async siteTree(
    size: number,
    hashesOf: (from: number, to: number) => Promise<Uint8Array>,
  ): Promise<void> {
    const { reader, onFault, sha256 } = this.parts;
    const tree = new GrowingTree(sha256);
    const tiles = new ComputedTiles();
    for (let from = 0; from < size; from += TILE_WIDTH) {
      const to = Math.min(size, from + TILE_WIDTH);
      const hashes = await hashesOf(from, to);
      for (let at = 0; at < hashes.length; at += HASH_BYTES)
        for (const tile of tree.append(hashes.subarray(at, at + HASH_BYTES))) tiles.add(tile);
      const stored = await reader.leaves('site', from, to).catch(ifNotSealed);
      if (!stored || !sameBytes(stored, hashes))
        onFault({
          step: 5,
          kind: 'altered',
          message: `the stored hashes of leaves ${from} to ${to - 1} of the site log are not theirs`,
          seal: from,
        });
    }
    await this.compareTiles('site', size, tiles);
  }
}

/** The roots of full tiles by level, as they were computed. */
class ComputedTiles {
  private readonly levels: Uint8Array[][] = [];

  add({ level, root }: { readonly level: number; readonly root: Uint8Array }): void {
    (this.levels[level] ??= []).push(Uint8Array.from(root));
  }

  hashes(level: number, from: number, count: number): Uint8Array {
    return joinBytes(...(this.levels[level] ?? []).slice(from, from + count));
  }
}

function ifNotSealed(error: unknown): undefined {
  if (error instanceof NotSealed || error instanceof RangeError) return undefined;
  throw error;
}
