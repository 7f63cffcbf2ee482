import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** A change of the wall clock against the monotonic one by more than this is a step. */
const STEP_MS = 250;
const CHRONY_MS = 2_000;
const TIMESYNC = '/run/systemd/timesync';

/** The two clocks of a machine. */
export interface Clocks {
  /** Returns milliseconds since 1970. They may step. */
  readonly wall: () => number;
  /** Returns seconds of a clock that only goes forward. */
  readonly up: () => number;
}

const MACHINE_CLOCKS: Clocks = {
  wall: () => Date.now(),
  up: () => performance.now() / 1_000,
};

/** Relates the wall clock to the monotonic one, so that a moment keeps its time once it has one. */
export class WallClock {
  private offsetMs: number;
  private readonly firstOffsetMs: number;

  constructor(private readonly clocks: Clocks = MACHINE_CLOCKS) {
    this.offsetMs = this.measured();
    this.firstOffsetMs = this.offsetMs;
  }

  /** Returns the monotonic clock, in seconds. */
  up(): number {
    return this.clocks.up();
  }

  /** Returns the wall clock at a moment of the monotonic one: milliseconds, from seconds. */
  readonly at = (up: number): number => this.offsetMs + 1_000 * up;

  /** How far the wall clock moved against the monotonic one since the start, in seconds. */
  get offsetSeconds(): number {
    return (this.offsetMs - this.firstOffsetMs) / 1_000;
  }

  /**
   * Compares the clocks and follows the wall clock. Returns by how many milliseconds it stepped
   * since the last comparison, or undefined for at most 250. Call it once a second.
   */
  compare(): number | undefined {
    const before = this.offsetMs;
    this.offsetMs = this.measured();
    const step = this.offsetMs - before;
    return Math.abs(step) > STEP_MS ? step : undefined;
  }

  private measured(): number {
    return this.clocks.wall() - 1_000 * this.clocks.up();
  }
}

/**
 * Returns whether the clock of this machine follows another: as systemd-timesyncd or chrony
 * report it. Null if neither runs. Takes at most 2 seconds.
 */
export async function isClockSynchronised(): Promise<boolean | null> {
  if (existsSync(TIMESYNC)) return existsSync(`${TIMESYNC}/synchronized`);
  try {
    const { stdout } = await promisify(execFile)('chronyc', ['-n', '-c', 'tracking'], {
      timeout: CHRONY_MS,
    });
    return stdout.trimEnd().endsWith(',Normal');
  } catch {
    return null; // chrony is not there either, or does not answer
  }
}
