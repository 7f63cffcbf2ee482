import {
  faultAfter,
  FormatFault,
  Frontier,
  KeyFault,
  leafHash,
  readCheckpoint,
  readSeal,
  sameBytes,
  signaturesOf,
  utf8Of,
  vkeyText,
  type KeyRing,
  type PackageFault,
  type Seal,
  type Sha256,
  type SignedCheckpoint,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { ENTRIES_MAX, type KeptCheckpoint, type SealReader, type SiteEntry } from '#seal-store';
import { ringOf } from '../keys/site-keys.js';

/** Receives what differs. */
export type OnFault = (fault: PackageFault) => void;

/** The roots that a site log must have at some sizes, and who says so. */
export interface HeldRoot {
  readonly size: number;
  readonly root: Uint8Array;
  /** For the report: "the checkpoint in FILE", "what the key remembers". */
  readonly what: string;
}

/** What the signed site log holds. */
export interface SignedSeals {
  readonly checkpoint: SignedCheckpoint;
  readonly ring: KeyRing;
  /** The log keys that signed the checkpoint, as vkeys. */
  readonly signers: readonly string[];
  /** How many seals there are. */
  readonly seals: number;
  /** The last seal. */
  readonly last: Seal | undefined;
}

/**
 * Checks the site log: the signature of the last checkpoint first, then every leaf against the
 * roots that were signed. Returns undefined if nothing can be built on it. The roots are computed
 * from the texts of the leaves alone.
 */
export class SignedSealsCheck {
  private readonly frontier: Frontier;
  private seals = 0;
  private last: Seal | undefined;
  private statement = 0;
  private isBroken = false;

  constructor(
    private readonly reader: SealReader,
    private readonly sha256: Sha256,
    private readonly held: readonly HeldRoot[],
    private readonly onFault: OnFault,
  ) {
    this.frontier = new Frontier(sha256);
  }

  /** Checks all of it. Call it once. */
  async run(origin: string): Promise<SignedSeals | undefined> {
    const kept = await this.reader.checkpoint();
    if (!kept) return void this.add('incomplete', 'no checkpoint is signed yet');
    const checkpoint = this.checkpointOf(kept, origin);
    const ring = checkpoint && (await this.ring(checkpoint));
    if (!ring) return undefined;
    const signers = this.signersOf(checkpoint, ring);
    await this.leaves(checkpoint, ring);
    for (const { size, what } of this.held)
      if (size > checkpoint.size)
        this.add(
          'altered',
          `${what} is of size ${size}, and the site log ends at ${checkpoint.size}`,
        );
    return { checkpoint, ring, signers, seals: this.seals, last: this.last };
  }

  private checkpointOf({ note }: KeptCheckpoint, origin: string): SignedCheckpoint | undefined {
    try {
      const checkpoint = readCheckpoint(utf8Of(note));
      if (checkpoint.origin === origin) return checkpoint;
      return void this.add('altered', `the checkpoint is of ${checkpoint.origin}, not ${origin}`);
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      return void this.add('altered', `the checkpoint cannot be read: ${error.message}`);
    }
  }

  private async ring({ size }: SignedCheckpoint): Promise<KeyRing | undefined> {
    try {
      return ringOf(await this.reader.keyStatements(size));
    } catch (error) {
      if (error instanceof KeyFault)
        return void this.add('altered', error.message, { seal: error.index });
      if (!(error instanceof FormatFault)) throw error;
      return void this.add('altered', `a key statement cannot be read: ${error.message}`);
    }
  }

  private signersOf({ note, size }: SignedCheckpoint, ring: KeyRing): string[] {
    const made = signaturesOf(nodeCryptography, note, ring.logKeysAt(size));
    if (made.length === 0)
      this.add('altered', 'no log key that is in force signed the last checkpoint');
    for (const { key, good } of made)
      if (!good) this.add('altered', `the signature of ${key.id} on the checkpoint is wrong`);
    return made.filter(({ good }) => good).map(({ key }) => vkeyText(key));
  }

  /** Checks all leaves below the size of the checkpoint. */
  private async leaves(checkpoint: SignedCheckpoint, ring: KeyRing): Promise<void> {
    const { size, root } = checkpoint;
    for (let from = 0; from < size; from += ENTRIES_MAX) {
      const to = Math.min(size, from + ENTRIES_MAX);
      const entries = await this.reader.entries(from, to);
      const signed = await this.reader.stored.checkpoints(from + 1, to);
      const roots = new Map(signed.map((kept) => [kept.size, kept] as const));
      for (let index = from; index < to; index += 1) {
        const entry = entries[index - from];
        if (entry?.index !== index)
          return void this.add('altered', `leaf ${index} of the site log is gone`, { seal: index });
        this.leaf(entry);
        this.signedRoot(roots.get(index + 1), ring);
        this.heldRoots();
      }
    }
    if (!this.isBroken && !sameBytes(this.frontier.root(), root))
      this.add('altered', `the site log does not have the root of its checkpoint of size ${size}`);
  }

  private leaf({ index, kind, text }: SiteEntry): void {
    this.frontier.append(leafHash(this.sha256, utf8Of(text)));
    if (kind === 'keys') {
      this.statement = index;
      return;
    }
    try {
      const seal = readSeal(text);
      const fault = this.faultOf(seal, index);
      if (fault !== undefined) this.add('altered', `seal ${index}: ${fault}`, { seal: index });
      this.seals += 1;
      this.last = seal;
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      this.add('altered', `leaf ${index} is not a seal: ${error.message}`, { seal: index });
    }
  }

  private faultOf(seal: Seal, index: number): string | undefined {
    if (seal.number !== index) return `its number is ${seal.number}`;
    if (seal.keys !== this.statement) return `its latest key statement is not ${this.statement}`;
    return this.last && faultAfter(this.last, seal);
  }

  /** Compares the root up to a leaf with the checkpoint that was signed there. Names the first only. */
  private signedRoot(kept: KeptCheckpoint | undefined, ring: KeyRing): void {
    if (!kept || this.isBroken) return;
    const { size } = this.frontier;
    const seal = size - 1;
    try {
      const { note, root } = readCheckpoint(utf8Of(kept.note));
      if (sameBytes(root, this.frontier.root())) return;
      const made = signaturesOf(nodeCryptography, note, ring.logKeysAt(size));
      if (!made.some(({ good }) => good))
        return this.add('altered', `the stored checkpoint of size ${size} is not signed`, { seal });
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      return this.add('altered', `the stored checkpoint of size ${size}: ${error.message}`, {
        seal,
      });
    }
    this.isBroken = true;
    this.add(
      'altered',
      `leaf ${seal} of the site log, or one since the checkpoint before, is not the one that was signed`,
      { seal },
    );
  }

  private heldRoots(): void {
    const { size } = this.frontier;
    for (const { root, what, size: at } of this.held)
      if (at === size && !sameBytes(root, this.frontier.root()))
        this.add(
          'altered',
          `the site log at size ${size} contradicts ${what}: history was rewritten`,
          {
            step: 4,
          },
        );
  }

  private add(
    kind: PackageFault['kind'],
    message: string,
    { step = 3, ...at }: { readonly step?: number; readonly seal?: number } = {},
  ): void {
    this.onFault({ step, kind, message, ...at });
  }
}
