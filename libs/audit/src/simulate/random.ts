/**
 * A seeded random generator: the same seed returns the same numbers on every machine. It is sfc32,
 * three 32-bit words and a counter, started from a hash of the seed's text. Suitable for shuffling
 * a test's cards, not for gambling with money.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: string) {
    [this.a, this.b, this.c] = [
      hash(seed, 0x9e3779b9),
      hash(seed, 0x243f6a88),
      hash(seed, 0xb7e15162),
    ];
    for (let i = 0; i < 12; i += 1) this.word();
  }

  /** Returns a whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.word() / 0x1_0000_0000) * bound);
  }

  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** Returns `true` with a probability of `percent` in a hundred. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  /** Returns one item of `list`, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('cannot pick from an empty list');
    return list[this.below(list.length)] as T;
  }

  /** Shuffles `list` in place, with equal probability for every order (Fisher and Yates). */
  shuffle<T>(list: T[]): T[] {
    for (let i = list.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j] as T, list[i] as T];
    }
    return list;
  }

  private word(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

function hash(text: string, start: number): number {
  let h = start ^ text.length;
  for (let i = 0; i < text.length; i += 1) {
    h = Math.imul(h ^ text.charCodeAt(i), 0x5bd1e995);
    h = (h << 13) | (h >>> 19);
  }
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
