/** The limits of a spool. */
export interface SpoolSettings {
  /** The most bytes of all segments. Delivered segments go first; undelivered ones never go. */
  readonly capBytes: number;
  /** How long delivered segments are kept, in milliseconds. */
  readonly keepMs: number;
  /** A segment of this size takes no more lines. */
  readonly segmentBytes: number;
  /** How long the cursor may be ahead of the disk while no frames come, in milliseconds. */
  readonly cursorMs: number;
  /** How often a full spool looks for room, in milliseconds. */
  readonly retryMs: number;
}

const MIB = 1024 * 1024;

/** The limits of a spool whose settings name no others: 2 GiB are some 75 days of a busy table. */
export const SPOOL_SETTINGS: SpoolSettings = {
  capBytes: 2_048 * MIB,
  keepMs: 7 * 24 * 60 * 60 * 1_000,
  segmentBytes: 8 * MIB,
  cursorMs: 10_000,
  retryMs: 1_000,
};
