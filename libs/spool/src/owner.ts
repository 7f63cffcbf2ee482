import type { DamageAside } from './segments/aside.js';
import type { SpoolLine } from './segments/line.js';

/** What happens to a spool without being asked for. */
export type SpoolNotice =
  /** Bytes of the spool are not what was written. Until frames are appended, each start repeats it. */
  | { readonly kind: 'damaged'; readonly damage: DamageAside }
  /** A write failed and its line goes to a new segment. */
  | { readonly kind: 'retrying'; readonly error: Error }
  /** No frames are taken from now on, for this reason. */
  | { readonly kind: 'full'; readonly reason: string }
  /** Frames are taken again. */
  | { readonly kind: 'room' }
  /** A delivered segment could not be removed. The next new segment tries it again. */
  | { readonly kind: 'not-removed'; readonly segment: string; readonly error: Error };

/**
 * Derives a state from the lines of a spool. The state begins each segment, so a start reads one
 * segment only. The spool calls an owner in the order of the lines, and never twice with one line.
 */
export interface SpoolOwner {
  /**
   * Takes back a state that `state` returned earlier, or null in a new spool. Called once, before
   * anything else.
   */
  restore(state: unknown): void;
  /**
   * Takes a line with frames: at a start each line after the restored state, and later each line as
   * soon as it is durable, before `append` resolves.
   */
  apply(line: SpoolLine): void;
  /** Returns the state after the lines taken so far, as JSON values and without secrets. */
  state(): unknown;
  /** Takes notice of an event. */
  notice(notice: SpoolNotice): void;
}
