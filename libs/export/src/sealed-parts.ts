import {
  consistencyProof,
  hashText,
  inclusionProof,
  subtreeHashes,
  type ProvenLeaf,
  type PackedHead,
  type Sha256,
  type Since,
  type SiteLeaf,
  type SiteProof,
  type TableProof,
} from '#evidence';
import {
  ENTRIES_MAX,
  headLeaf,
  HeadTree,
  type HeadPath,
  type KeptCheckpoint,
  type SealReader,
  type SiteEntry,
  type StoredHead,
} from '#seal-store';
import { ExportRefusal } from './refusal.js';

/** The state of a site that a package shows: a signed checkpoint, whose last leaf is a seal. */
export interface ShownState {
  readonly checkpoint: KeptCheckpoint;
  readonly latest: SiteEntry;
}

/** The seals of a package. */
export interface SealSpan {
  /** The seal after which the range begins; null if it begins with the first leaf. */
  readonly after: number | null;
  /** The first seal that holds all of the range. */
  readonly to: number;
}

/** The position of a range in the tree of its table. */
export interface TableSpan extends SealSpan {
  readonly number: number;
  readonly first: number;
  readonly end: number;
}

/** Sizes of the site log that a package proves it to have grown from. */
export interface SinceSizes {
  /** Those that the recipient holds a checkpoint of: the tables are shown there too. */
  readonly held: readonly number[];
  readonly monthEnds: readonly number[];
}

const sorted = (sizes: readonly number[]): number[] => [...new Set(sizes)].sort((a, b) => a - b);

const texts = (hashes: readonly Uint8Array[]): string[] => hashes.map(hashText);

/** The heads of a seal: those of the tables by number, and the tree over them. */
interface SealHeads {
  readonly heads: readonly StoredHead[];
  readonly tree: HeadTree;
}

/** Seals whose heads are kept at once: that of the checkpoint, and one that a recipient holds. */
const SEALS_KEPT = 2;

/** Makes the parts of packages that show that records are sealed. */
export class SealedParts {
  private readonly kept = new Map<number, Promise<SealHeads>>();

  constructor(
    private readonly seals: SealReader,
    private readonly sha256: Sha256,
    private readonly state: ShownState,
    private readonly origin: string,
  ) {}

  /** Returns the last signed state that a package can show. */
  static async shown(seals: SealReader): Promise<ShownState | undefined> {
    for (let atMost = Number.MAX_SAFE_INTEGER; ;) {
      const checkpoint = await seals.checkpoint(atMost);
      if (!checkpoint) return undefined;
      const latest = await seals.lastEntry('seal', checkpoint.size);
      if (latest?.index === checkpoint.size - 1) return { checkpoint, latest };
      atMost = checkpoint.size - 1;
    }
  }

  /** Yields the leaves of the site log from `after` on, up to and with `to`. */
  async *leaves({ after, to }: SealSpan): AsyncGenerator<SiteLeaf> {
    for (let from = after ?? 0; from <= to; from += ENTRIES_MAX)
      for (const { index, text } of await this.seals.entries(from, to + 1)) yield { index, text };
  }

  /** Returns how the seals and the key statements are in the site log. */
  async siteProof({ after, to }: SealSpan, { held, monthEnds }: SinceSizes): Promise<SiteProof> {
    const { size } = this.state.checkpoint;
    const consistency = [];
    for (const from of sorted([to + 1, ...held, ...monthEnds]))
      consistency.push({ from, proof: await this.consistency('site', from, size) });
    const keys: ProvenLeaf[] = [];
    for (const statement of await this.seals.keyStatements(size))
      keys.push(await this.provenLeaf(statement));
    const frontier = await subtreeHashes(
      { start: 0, end: after ?? 0 },
      this.seals.nodes('site', size),
    );
    const latest = await this.provenLeaf(this.state.latest);
    return { frontier: texts(frontier), consistency, keys, latest };
  }

  /**
   * Returns where tables stood at checkpoints of these sizes, and the site log alone at the end of
   * each month: its sizes are those of `monthEnds`.
   */
  async since({ held, monthEnds }: SinceSizes, numbers: readonly number[]): Promise<Since> {
    const since = [];
    for (const size of sorted([...held, ...monthEnds])) {
      const seal = await this.seals.lastEntry('seal', size);
      if (!seal)
        throw new ExportRefusal('unknown-checkpoint', `no seal comes before size ${size}`, 'since');
      const tables = [];
      for (const number of held.includes(size) ? numbers : []) {
        const head = await this.headAt(number, seal.index);
        if (head) tables.push({ number, ...(await this.grown(number, head)) });
      }
      since.push({ size, seal: await this.provenLeaf(seal), tables });
    }
    return since;
  }

  /** Returns the sizes of the site log at the ends of months, as far as the checkpoint reaches. */
  async monthEnds(): Promise<number[]> {
    const ends = await this.seals.monthEnds(this.state.checkpoint.size);
    return ends.map(({ index }) => index + 1);
  }

  private async grown(number: number, head: HeadPath): Promise<TableProof['latest']> {
    const latest = await this.seals.head(number, this.state.latest.index);
    const consistency = await this.consistency(number, head.size, latest?.size ?? 0);
    const { size, root, path } = head;
    return { size, root: hashText(root), path: texts(path), consistency };
  }

  /**
   * Yields where a table stood at each seal of a span that has it. Where every table is in the
   * package, no path is needed.
   */
  async *heads({ number, after, to }: TableSpan, isAll: boolean): AsyncGenerator<PackedHead> {
    if (isAll) {
      for (const { seal, size, root } of await this.seals.headSizes(number, after ?? 0, to))
        yield { seal, size, root: hashText(root) };
      return;
    }
    for await (const { seal, size, root, path } of this.seals.headPaths(number, after ?? 0, to))
      yield { seal, size, root: hashText(root), path: texts(path) };
  }

  /** Returns how a range is in the tree of its table. */
  async tableProof({ number, first, end, after, to }: TableSpan): Promise<TableProof> {
    const before = after === null ? 0 : ((await this.seals.head(number, after))?.size ?? 0);
    const size = await this.sizeAt(number, to);
    const nodes = this.seals.nodes(number, size);
    const latest = await this.headAt(number, this.state.latest.index);
    if (!latest) throw new Error(`no seal holds table ${number}`);
    const isTied = before > 0 && before < first;
    return {
      frontier: texts(await subtreeHashes({ start: 0, end: first }, nodes)),
      before: isTied ? await this.consistency(number, before, size) : [],
      rest: texts(await subtreeHashes({ start: end, end: size }, nodes)),
      latest: {
        size: latest.size,
        root: hashText(latest.root),
        path: texts(latest.path),
        consistency: await this.consistency(number, size, latest.size),
      },
    };
  }

  /** Returns the proof that a record is in the tree of its table as a seal has it. */
  async proofOf(number: number, index: number, seal: number): Promise<string[]> {
    const size = await this.sizeAt(number, seal);
    const nodes = this.seals.nodes(number, size);
    return texts(await inclusionProof(this.sha256, { index, size }, nodes));
  }

  /** Returns how many records of a table a seal holds. */
  async sizeAt(number: number, seal: number): Promise<number> {
    return (await this.seals.head(number, seal))?.size ?? 0;
  }

  /** Returns the seals of a range: the last one that holds none of it, and the first that holds all. */
  async spanOf(number: number, first: number, end: number): Promise<SealSpan | undefined> {
    const begun = await this.seals.firstSealWith(number, first + 1);
    const to = await this.seals.firstSealWith(number, end);
    if (begun === undefined || to === undefined || to > this.state.latest.index) return undefined;
    return { after: (await this.seals.lastEntry('seal', begun))?.index ?? null, to };
  }

  private async headAt(number: number, seal: number): Promise<HeadPath | undefined> {
    const { heads, tree } = await this.headsOf(seal);
    const head = heads[number];
    return head && { seal, size: head.size, root: head.root, path: tree.path(number) };
  }

  private async headsOf(seal: number): Promise<SealHeads> {
    const known = this.kept.get(seal);
    if (known) return known;
    const [oldest] = this.kept.keys();
    if (oldest !== undefined && this.kept.size >= SEALS_KEPT) this.kept.delete(oldest);
    const made = this.readHeads(seal);
    this.kept.set(seal, made);
    return made;
  }

  private async readHeads(seal: number): Promise<SealHeads> {
    const heads = await this.seals.heads(seal);
    const tree = new HeadTree(this.sha256);
    for (const { number, name, size, root } of heads)
      tree.set(number, headLeaf(this.sha256, { origin: this.origin, name, size, root }));
    return { heads, tree };
  }

  private async provenLeaf({ index, text }: SiteEntry): Promise<ProvenLeaf> {
    const { size } = this.state.checkpoint;
    const nodes = this.seals.nodes('site', size);
    return { index, text, proof: texts(await inclusionProof(this.sha256, { index, size }, nodes)) };
  }

  private async consistency(tree: number | 'site', from: number, to: number): Promise<string[]> {
    if (from === 0 || from === to) return [];
    const nodes = this.seals.nodes(tree, to);
    return texts(await consistencyProof(this.sha256, { from, to }, nodes));
  }
}
