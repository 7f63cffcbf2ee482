import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may run before timers and answers get their turn. */
const SLICE_MS = 10;

/**
 * Divides the long work of a process into slices, so that timers run between them: above all the
 * one that renews leases. All work that runs beside each other shares one, so that together it
 * takes no longer than one slice at a time.
 */
export class TimeSlices {
  private began: number;
  private turns: Promise<void> = Promise.resolve();

  constructor(private readonly now: () => number = () => performance.now()) {
    this.began = now();
  }

  /** Lets everything else run first if the slice is used up. Call it between two steps. */
  async giveWay(): Promise<void> {
    if (this.now() - this.began < SLICE_MS) return;
    // one caller a turn: the slices of several must not add up
    this.turns = this.turns.then(() => nextTurn());
    await this.turns;
    this.began = this.now();
  }
}
