/**
 * Seeded chance: the same seed makes the same choices on every machine (mulberry32, started from
 * a hash of the seed's text).
 */
export class Chance {
  private state: number;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (let at = 0; at < seed.length; at += 1)
      hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
    this.state = hash >>> 0;
  }

  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
}
