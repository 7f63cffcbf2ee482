/** Seeded chance: the same seed gives the same run. */
export interface Chance {
  /** Returns a number from 0 up to `limit`, without it. */
  upTo(limit: number): number;
  oneOf<T>(items: readonly T[]): T;
}

/** Returns chance from a seed (mulberry32). */
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    upTo: (limit) => next() * limit,
    oneOf: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
  };
}
