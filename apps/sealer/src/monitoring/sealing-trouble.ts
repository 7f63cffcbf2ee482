import { errorText } from '#server';

/** Failures that last this long are more than what a retry gets over. */
const LASTING_MS = 5_000;
/** Longer than between two tries. Without a failure for so long, the trouble is over. */
const OVER_MS = 30_000;

/** Remembers for how long sealing or signing has failed, and why. */
export class SealingTrouble {
  private failing: { readonly since: number; last: number; error: string } | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  failed(why: unknown): void {
    this.look();
    const now = this.now();
    this.failing = { since: this.failing?.since ?? now, last: now, error: errorText(why) };
  }

  /** Forgets the failures: something was signed, or another sealer seals. */
  over(): void {
    this.failing = undefined;
  }

  /** Why nothing is sealed or signed, once that has lasted for five seconds. */
  get lasting(): string | undefined {
    this.look();
    const { failing } = this;
    return failing && this.now() - failing.since >= LASTING_MS ? failing.error : undefined;
  }

  private look(): void {
    if (this.failing && this.now() - this.failing.last > OVER_MS) this.over();
  }
}
