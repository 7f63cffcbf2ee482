/**
 * Sums counts by cell, exactly. What is added to `part` between two calls of `settle` must stay
 * below 2^53. `settle` does nothing if the number of all sequences of the shoe is below 2^53.
 */
export class Tally {
  readonly part: Float64Array;
  private readonly wide: bigint[] | undefined;

  constructor(size: number, cards: number) {
    this.part = new Float64Array(size);
    const sequences = cards * (cards - 1) * (cards - 2) * (cards - 3) * (cards - 4) * (cards - 5);
    if (sequences > Number.MAX_SAFE_INTEGER) this.wide = new Array<bigint>(size).fill(0n);
  }

  /** Moves the partial sums into the totals before they could pass 2^53. */
  settle(): void {
    if (this.wide !== undefined) this.putBy(this.wide);
  }

  /** Returns the sum of each cell. */
  sums(): bigint[] {
    if (this.wide === undefined) return Array.from(this.part, BigInt);
    this.putBy(this.wide);
    return this.wide;
  }

  private putBy(sums: bigint[]): void {
    const { part } = this;
    for (let cell = 0; cell < part.length; cell += 1) {
      const count = part[cell] as number;
      if (count > 0) sums[cell] = (sums[cell] as bigint) + BigInt(count);
    }
    part.fill(0);
  }
}
