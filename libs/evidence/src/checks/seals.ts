import { sameBytes, utf8Of } from '../bytes.js';
import type { SignedCheckpoint } from '../notes/checkpoint.js';
import { namesText, readNames } from '../site/head.js';
import { KEYS_FIRST_LINE } from '../site/key-statement.js';
import { faultAfter, readSeal, type Seal } from '../site/seal.js';
import { FormatFault } from '../text-lines.js';
import { Frontier, leafHash } from '../tree/merkle.js';
import { verifyConsistency } from '../tree/proofs.js';
import type { Examination } from './examination.js';
import { leafForm, type PackageStatement, type Since, type SiteProof } from '../package/files.js';
import type { ProvenLeaf, SiteLeaf } from '../package/files.js';
import { hashesOf } from '../package/hashes.js';
import type { Position } from '../package/report.js';
import { rootInLog } from './signatures.js';
import { SITE_FILES } from '../package/site-files.js';

/** What a seal says that the tables are checked against. */
export interface SealedState {
  readonly number: number;
  readonly time: string;
  /** The gaming day that it closes. */
  readonly closes: string | undefined;
  /** The gaming day of what it covers, if the range has the seal that closes that day. */
  readonly day: string | undefined;
  /** How many tables have a head. */
  readonly tables: number;
  readonly heads: Uint8Array;
  /** The offsets up to which records were sealed, by partition. */
  readonly next: readonly number[];
}

/** The seals of a package, checked. */
export interface Seals {
  /** Those from `after` to `to`, in order; `after` included. */
  readonly range: readonly SealedState[];
  /** The last seal of the checkpoint. */
  readonly latest: SealedState;
  /** The seals of since.json, by the size of the checkpoint. */
  readonly since: ReadonlyMap<number, SealedState>;
  /** The names of the tables by number, at the checkpoint. */
  readonly names: readonly string[];
  /** Roots of the site log that were computed, by size. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
}

/** What the seals are read from, beside their own file. */
export interface SealSources {
  readonly checkpoint: SignedCheckpoint;
  readonly proof: SiteProof;
  /** Undefined if since.json cannot be read: that is noted, and nothing is said of what it holds. */
  readonly since: Since | undefined;
  /** Sizes at which the root of the site log is wanted. */
  readonly sizes: ReadonlySet<number>;
}

/** Returns what is kept of a seal. Its time is copied: a part of the text would keep the whole. */
const stateOf = ({ number, time, day, tables, heads, next }: Seal): SealedState => {
  const copy = JSON.parse(JSON.stringify(time)) as string;
  return { number, time: copy, closes: day, day, tables, heads, next };
};

/** Checks that the seals of a package are in the log, and that each can follow the one before. */
export async function verifySeals(
  exam: Examination,
  statement: PackageStatement,
  sources: SealSources,
): Promise<Seals> {
  const { checkpoint, proof, since = [] } = sources;
  const { names: file } = SITE_FILES;
  const read = async (): Promise<string[]> => readNames(await exam.reader.text(file));
  const names = (await exam.attempt(5, file, read)) ?? exam.stop();
  const chain = new SealChain(exam, statement.origin, proof.keys, names);
  const range = new LeafRange(exam, statement.range.after ?? 0, sources);
  const sinceSeals = new Map<number, SealedState>();
  const held = [...since].sort((a, b) => a.seal.index - b.seal.index);
  const takeHeld = (before: number): void => {
    while ((held[0]?.seal.index ?? Infinity) < before) {
      const entry = held.shift();
      const state = entry && heldSeal(chain, range, entry);
      if (entry && state) sinceSeals.set(entry.size, state);
    }
  };
  const states: SealedState[] = [];
  const isRead = await exam.attempt(5, SITE_FILES.leaves, async () => {
    await exam.reader.eachLine(SITE_FILES.leaves, leafForm, (leaf, line) => {
      takeHeld(leaf.index);
      range.append(leaf, line);
      const seal = chain.take(leaf, { file: SITE_FILES.leaves, line });
      if (seal) states.push(stateOf(seal));
    });
    return true;
  });
  if (isRead !== true) exam.stop();
  range.end(statement.range.to);
  // A checkpoint of the recipient can end at a seal of the range.
  takeHeld(checkpoint.size);
  const latest = latestSeal(chain, sources);
  return { range: withDays(states), latest, since: sinceSeals, names, roots: range.roots };
}

/** Returns seals with the day of the first from each on that closes one. */
function withDays(seals: readonly SealedState[]): SealedState[] {
  let day: string | undefined;
  return [...seals]
    .reverse()
    .map((seal) => ({ ...seal, day: (day = seal.closes ?? day) }))
    .reverse();
}

/** Checks the last seal of the checkpoint, which is its last leaf. */
function latestSeal(chain: SealChain, { checkpoint, proof }: SealSources): SealedState {
  const at = { file: SITE_FILES.proof, seal: proof.latest.index };
  if (!rootInLog(chain.exam, checkpoint, proof.latest))
    chain.exam.altered(5, `seal ${proof.latest.index} is not in the log`, at);
  if (proof.latest.index !== checkpoint.size - 1)
    chain.exam.altered(5, 'the latest seal is not the last leaf of the checkpoint', at);
  const latest = chain.take(proof.latest, at);
  if (!latest) chain.exam.abandon(5, 'the latest seal cannot be read', at);
  const state = stateOf(latest);
  chain.end(state);
  return state;
}

/** Checks the seal with which a checkpoint of the recipient ends, and that the log grew from there. */
function heldSeal(chain: SealChain, range: LeafRange, { size, seal }: Since[number]) {
  const at = { file: SITE_FILES.since, seal: seal.index };
  if (seal.index !== size - 1)
    chain.exam.altered(4, `seal ${seal.index} is not the last leaf of size ${size}`, at);
  const root = rootInLog(chain.exam, range.sources.checkpoint, seal);
  if (root) range.grown(size, root, { step: 4, ...at });
  else chain.exam.altered(4, `seal ${seal.index} is not in the log`, at);
  const state = chain.take(seal, at);
  return state && stateOf(state);
}

/** The leaves of the range, from which the root of the log is computed. */
class LeafRange {
  readonly roots = new Map<number, Uint8Array>();
  private readonly frontier: Frontier;

  constructor(
    private readonly exam: Examination,
    first: number,
    readonly sources: SealSources,
  ) {
    const from = { hashes: sources.proof.frontier, file: SITE_FILES.proof };
    this.frontier = frontierOf(exam, 5, first, from);
  }

  append({ index, text }: SiteLeaf, line: number): void {
    const { frontier, exam, sources } = this;
    const at = { file: SITE_FILES.leaves, line, seal: frontier.size };
    if (index !== frontier.size)
      exam.abandon(5, `leaf ${index} stands where leaf ${frontier.size} is due`, at);
    frontier.append(leafHash(exam.platform.sha256, utf8Of(text)));
    if (sources.sizes.has(frontier.size)) this.roots.set(frontier.size, frontier.root());
  }

  /** Checks that the leaves end with `to`, and that the log of the checkpoint begins with them. */
  end(to: number): void {
    const { frontier, exam, sources } = this;
    const at = { step: 5, file: SITE_FILES.leaves };
    const { size } = frontier;
    if (size !== to + 1)
      return exam.altered(5, `the leaves end before leaf ${size}, not with ${to}`, at);
    this.grown(size, frontier.root(), at);
    if (!sources.since) return;
    const due = new Set([size, ...sources.since.map((each) => each.size)]);
    const shown = sources.proof.consistency.map(({ from }) => from);
    if (shown.length !== due.size || !shown.every((from) => due.has(from)))
      exam.altered(4, `must prove growth from ${[...due].join(', ')}`, { file: SITE_FILES.proof });
  }

  /** Checks that the log of the checkpoint begins with the leaves that lead to a root. */
  grown(
    size: number,
    root: Uint8Array,
    { step, ...at }: Position & { readonly step: number },
  ): void {
    const { exam, roots, sources } = this;
    const { checkpoint, proof } = sources;
    const found = proof.consistency.find(({ from }) => from === size);
    const claim = { from: size, to: checkpoint.size, fromRoot: root, toRoot: checkpoint.root };
    roots.set(size, root);
    const none = `there is no proof that the log only grew from size ${size}`;
    if (!found) exam.altered(step, none, { file: SITE_FILES.proof });
    else if (!verifyConsistency(exam.platform.sha256, claim, hashesOf(found.proof)))
      exam.altered(step, `the first ${size} leaves are not those of the signed log`, at);
  }
}

/** Returns a frontier. Ends the part if the number of its hashes does not match its size. */
export function frontierOf(
  exam: Examination,
  step: number,
  size: number,
  { hashes, ...at }: Position & { readonly hashes: readonly string[] },
): Frontier {
  try {
    return new Frontier(exam.platform.sha256, size, hashesOf(hashes));
  } catch (error) {
    if (error instanceof RangeError) exam.abandon(step, error.message, at);
    throw error;
  }
}

/** The seals of a package in the order of their numbers, wherever in it they stand. */
class SealChain {
  private before: { readonly seal: Seal; readonly text: string } | undefined;
  private lastDay: string | undefined;
  private readonly namesHash;
  private namesTaken = 0;

  constructor(
    readonly exam: Examination,
    private readonly origin: string,
    private readonly statements: readonly ProvenLeaf[],
    private readonly names: readonly string[],
  ) {
    this.namesHash = exam.platform.startSha256();
  }

  /** Takes the next leaf. Returns the seal, or undefined for a key statement and a faulty leaf. */
  take({ index, text }: SiteLeaf, at: Position): Seal | undefined {
    const here = { ...at, seal: index };
    if (text.startsWith(`${KEYS_FIRST_LINE}\n`)) {
      const known = this.statements.find((statement) => statement.index === index);
      const lacks = `leaf ${index} is a key statement that ${SITE_FILES.proof} lacks`;
      if (known?.text !== text) this.exam.altered(5, lacks, here);
      return undefined;
    }
    const seal = this.read(text, here);
    if (!seal) return undefined;
    if (seal.number === this.before?.seal.number && text === this.before.text) return seal;
    const fault = this.faultOf(seal, index);
    if (fault !== undefined) this.exam.altered(5, `seal ${index}: ${fault}`, here);
    this.checkNames(seal, here);
    if (seal.day !== undefined) this.lastDay = seal.day;
    this.before = { seal, text };
    return seal;
  }

  private read(text: string, at: Position): Seal | undefined {
    try {
      return readSeal(text);
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      this.exam.altered(5, `the seal cannot be read: ${error.message}`, at);
      return undefined;
    }
  }

  private faultOf(seal: Seal, index: number): string | undefined {
    if (seal.number !== index) return `it has number ${seal.number}`;
    if (seal.origin !== this.origin) return `it is of ${seal.origin}`;
    const keys = this.statements.findLast((statement) => statement.index < index)?.index;
    if (seal.keys !== keys)
      return `its latest key statement is ${seal.keys}, and the package has ${keys ?? 'none'}`;
    if (seal.day !== undefined && this.lastDay !== undefined && seal.day <= this.lastDay)
      return `its day is not after ${this.lastDay}`;
    return this.before && faultAfter(this.before.seal, seal);
  }

  private checkNames({ tables, names }: Seal, at: Position): void {
    if (tables > this.names.length)
      return this.exam.altered(5, `it has ${tables} tables, and the list of names fewer`, at);
    if (tables < this.namesTaken) return; // a fault of its own
    this.namesHash.update(utf8Of(namesText(this.names.slice(this.namesTaken, tables))));
    this.namesTaken = tables;
    if (!sameBytes(this.namesHash.digest(), names))
      this.exam.altered(5, 'its list of names does not begin that of the package', at);
  }

  /** Checks that the list of names is that of the latest seal. */
  end({ tables }: SealedState): void {
    const { length } = this.names;
    const differs = `the list has ${length} names, and the latest seal ${tables}`;
    if (tables !== length) this.exam.altered(5, differs, { file: SITE_FILES.names });
  }
}
