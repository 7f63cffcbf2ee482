import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { readCheckpoint, utf8Of, type SignedCheckpoint } from '#evidence';
import { expectOneHistory, verified, type Site } from '../sealer/site.js';
import { TestWitness } from '../sealer/test-witness.js';

/** How often the collector looks into the folder. */
const LOOK_MS = 20;

/**
 * Keeps every checkpoint that ever leaves the sealers of a site: those that a witness was sent,
 * those in the folder, and those in the database.
 */
export class CheckpointCollector {
  private readonly published = new Map<string, SignedCheckpoint>();
  private readonly looking: NodeJS.Timeout;
  /** The last checkpoint that all before it were found to go on to. */
  private proven: SignedCheckpoint | undefined;

  private constructor(
    private readonly site: Site,
    readonly witness: TestWitness,
  ) {
    this.looking = setInterval(() => this.look(), LOOK_MS);
  }

  static async of(site: Site): Promise<CheckpointCollector> {
    return new CheckpointCollector(site, await TestWitness.listen('witness.example/w1', 1));
  }

  /** Returns the largest checkpoint that was seen. */
  get largest(): SignedCheckpoint {
    const [largest] = this.all().toSorted((one, other) => other.size - one.size);
    if (!largest) throw new Error('no checkpoint was seen');
    return largest;
  }

  /**
   * Expects that everything in the log is sealed, that all checkpoints ever seen are of one
   * history, and that the log is what its seals say. Returns how many checkpoints were seen.
   */
  async expectOneHistory(): Promise<number> {
    const last = await this.site.sealedAll();
    await verified(this.site);
    const from = this.proven?.size ?? 0;
    const kept = await this.site.reader.stored.checkpoints(from, Number.MAX_SAFE_INTEGER);
    const all = [...this.all(), ...kept.map(({ note }) => readCheckpoint(utf8Of(note))), last];
    await expectOneHistory(this.site, all);
    // All that came before goes on to this one, so the next time only this one is compared again.
    this.proven = last;
    this.published.clear();
    this.witness.seen.splice(0);
    const { code, said } = await this.site.run('verify');
    expect({ code, said }).toEqual({ code: 0, said: expect.stringMatching(/^INTACT /) });
    return all.length;
  }

  async close(): Promise<void> {
    clearInterval(this.looking);
    await this.witness.close();
  }

  private all(): SignedCheckpoint[] {
    const seen = [...this.witness.seen, ...this.published.values()];
    return this.proven ? [...seen, this.proven] : seen;
  }

  private look(): void {
    try {
      const note = readFileSync(join(this.site.tiles, 'checkpoint'));
      this.published.set(note.toString(), readCheckpoint(note));
    } catch {
      // not there yet
    }
  }
}
