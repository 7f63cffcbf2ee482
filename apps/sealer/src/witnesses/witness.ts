import {
  base64Of,
  consistencyProof,
  decimalOf,
  noteText,
  readNote,
  readVkey,
  signaturesOf,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import type { KeptCheckpoint, SealReader } from '#seal-store';

/** The longest that a witness may take to answer. */
const ANSWER_MS = 10_000;
/** The longest answer: a few signature lines. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** How often a witness may name another size in a row before it is given up for this checkpoint. */
const TRIES = 3;
const { sha256 } = nodeCryptography;

/** Who cosigns checkpoints: a key, and where it answers. */
export interface WitnessSettings {
  readonly vkey: string;
  /** The address below which `add-checkpoint` is. */
  readonly url: string;
}

/** Thrown if a witness knows a history that this site log does not have. */
export class WitnessKnowsMore extends Error {
  override readonly name = 'WitnessKnowsMore';
}

/** Speaks to one witness (C2SP tlog-witness). */
export class Witness {
  readonly key: VerifierKey;
  private readonly url: string;

  /** `known` is the size of the last checkpoint that this witness has cosigned; 0 if none. */
  constructor(
    { vkey, url }: WitnessSettings,
    private readonly reader: SealReader,
    private known: number,
  ) {
    this.key = readVkey(sha256, vkey);
    this.url = `${url.replace(/\/$/, '')}/add-checkpoint`;
  }

  /**
   * Returns the signature line with which the witness cosigns a checkpoint, or undefined if it has
   * cosigned a later one of this site, which another sealer sent. Throws `WitnessKnowsMore` if it
   * has cosigned another history, and any other error if it does not cosign now.
   */
  async cosign({ size, note }: KeptCheckpoint, stopping: AbortSignal): Promise<string | undefined> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (this.known > size) return undefined;
      const { status, body } = await this.send({ size, note }, stopping);
      if (status === 200) {
        this.known = size;
        return this.lineOf(note, body);
      }
      if (status !== 409) throw new Error(`it answered ${status}`);
      const theirs = decimalOf(body.replace(/\n$/, ''));
      if (theirs === undefined) throw new Error('it answered 409 without a size');
      const isUnknown = theirs > size && !(await this.isSigned(theirs));
      if (isUnknown || theirs === this.known)
        throw new WitnessKnowsMore(
          `the witness ${this.key.name} has cosigned a log of size ${theirs} that is not this one of size ${size}`,
        );
      this.known = theirs;
    }
    throw new Error('it names another size each time');
  }

  /**
   * Whether the site has signed a checkpoint of at least this size. If the witness has cosigned
   * another one, it refuses the proof from there.
   */
  private async isSigned(size: number): Promise<boolean> {
    const last = await this.reader.checkpoint();
    return last !== undefined && last.size >= size;
  }

  private async send(
    { size, note }: KeptCheckpoint,
    stopping: AbortSignal,
  ): Promise<{ status: number; body: string }> {
    const sizes = { from: this.known, to: size };
    const proof = await consistencyProof(sha256, sizes, this.reader.nodes('site', size));
    const lines = proof.map((hash) => `${base64Of(hash)}\n`).join('');
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: `old ${this.known}\n${lines}\n${note}`,
      redirect: 'error',
      signal,
    });
    return { status: answer.status, body: await bounded(answer) };
  }

  /** Returns the witness' own line of an answer. Throws if it is not there, or is not good. */
  private lineOf(note: string, answer: string): string {
    const { text } = readNote(note);
    const cosigned = readNote(`${text}\n${answer}`);
    const [signature] = signaturesOf(nodeCryptography, cosigned, [this.key]);
    const own = cosigned.signatures.find(
      ({ name, id }) => name === this.key.name && id === this.key.id,
    );
    if (signature?.good !== true || !own) throw new Error('its signature is missing or not good');
    return noteText({ text: '', signatures: [own] }).slice(1);
  }
}

/** Returns the text of an answer. Throws if it is longer than any that a witness has to give. */
async function bounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    if (!(chunk instanceof Uint8Array)) throw new Error('its answer is not bytes');
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX)
      throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
