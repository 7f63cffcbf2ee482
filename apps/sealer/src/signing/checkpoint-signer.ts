import type { EvidenceAlarm } from '#audit';
import {
  checkpointText,
  noteText,
  sameBytes,
  signText,
  verifyConsistency,
  type CheckpointBody,
  type Signer,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import type { LastSigned } from './last-signed.js';

const { sha256 } = nodeCryptography;

/** Thrown if a checkpoint contradicts what the key has signed. It is never signed. */
export class SigningRefused extends Error {
  override readonly name = 'SigningRefused';

  constructor(
    readonly alarm: EvidenceAlarm,
    message: string,
  ) {
    super(message);
  }
}

/** What a signature needs beside the checkpoint. */
export interface SigningParts {
  /** The keys that sign: more than one while one replaces the other. */
  readonly keys: readonly Signer[];
  /** Returns the proof that the site log of a size is the beginning of this checkpoint's. */
  readonly prove: (from: number) => Promise<readonly Uint8Array[]>;
  /** Throws once another sealer may be signing. Called right before the key is used. */
  readonly assertHeld: () => void;
}

/**
 * Signs checkpoints with keys that say only one thing of one size: nothing is signed that is
 * smaller than the last checkpoint, or not proven consistent with it. It remembers a checkpoint
 * before it signs it, so a crash in between loses a signature and no memory.
 */
export class CheckpointSigner {
  constructor(private readonly last: LastSigned) {}

  /** Returns the note of a checkpoint with a signature of each key. Throws `SigningRefused`. */
  async sign(
    checkpoint: CheckpointBody,
    { keys, prove, assertHeld }: SigningParts,
  ): Promise<string> {
    await this.assertFollows(checkpoint, prove);
    assertHeld();
    this.last.write(checkpoint);
    const text = checkpointText(checkpoint);
    return noteText({ text, signatures: keys.map((key) => signText(sha256, text, key)) });
  }

  /**
   * Throws `SigningRefused` unless a checkpoint is the one that was signed last, or continues it.
   */
  async assertFollows(checkpoint: CheckpointBody, prove: SigningParts['prove']): Promise<void> {
    const { origin, size, root } = checkpoint;
    const last = this.remembered();
    if (!last) {
      if (size <= 1) return;
      throw new SigningRefused(
        'key',
        `${this.last.path} is missing, so nothing shows what the key signed last: bring the file back, or run "shoeprint seal trust CHECKPOINT"`,
      );
    }
    if (last.origin !== origin)
      throw new SigningRefused('key', `${this.last.path} is of ${last.origin}, not of ${origin}`);
    if (last.size > size)
      throw new SigningRefused(
        'behind',
        `the key has signed the site log at size ${last.size}, and the database has ${size}: the database is older than its seals: restore a later back-up of it`,
      );
    const isSame = last.size === size && sameBytes(last.root, root);
    const isLater = last.size < size && (await this.isConsistent(last, checkpoint, prove));
    if (!isSame && !isLater)
      throw new SigningRefused(
        'fork',
        `the site log at size ${size} contradicts what the key signed at size ${last.size}: the database was changed or replaced: restore the one that belongs to the key`,
      );
  }

  private remembered(): CheckpointBody | undefined {
    try {
      return this.last.read();
    } catch (error) {
      throw new SigningRefused('key', `what the key signed last cannot be read: ${String(error)}`);
    }
  }

  private async isConsistent(
    last: CheckpointBody,
    { size, root }: CheckpointBody,
    prove: SigningParts['prove'],
  ): Promise<boolean> {
    const claim = { from: last.size, to: size, fromRoot: last.root, toRoot: root };
    return verifyConsistency(sha256, claim, await prove(last.size));
  }
}
