import { SingleBar } from 'cli-progress';

/** A shorter run shows no bar. */
const SHOWN_AFTER_MS = 1000;
const MIB = 1024 * 1024;

/**
 * Shows a progress bar on standard error, if that is a terminal, once a run has taken a second.
 * `total` is in bytes on disk; without it there is no bar. `doing` is printed before the bar. It
 * changes no terminal setting, so an interruption leaves nothing to restore.
 */
export class Progress {
  private readonly begun = Date.now();
  private first: { readonly bytes: number; readonly ms: number } | undefined;
  private bar: SingleBar | undefined;
  private readonly wanted = process.stderr.isTTY;

  constructor(
    private readonly total: number | undefined,
    private readonly doing = 'auditing',
  ) {}

  /** Updates the number of bytes done. */
  readonly at = (bytes: number): void => {
    const now = Date.now();
    this.first ??= { bytes, ms: now };
    if (!this.wanted || this.total === undefined || now - this.begun < SHOWN_AFTER_MS) return;
    const mib = (count: number): number => Math.round(count / MIB);
    const left = timeLeft(
      ((now - this.first.ms) * (this.total - bytes)) / (bytes - this.first.bytes),
    );
    if (!this.bar) {
      this.bar = new SingleBar({
        format: `${this.doing} {bar} {percentage} %  {value} of {total} MiB  {left} left`,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        clearOnComplete: true,
        gracefulExit: false,
        linewrap: true,
        stream: process.stderr,
        fps: 10,
      });
      this.bar.start(mib(this.total), 0, { left });
    }
    this.bar.update(mib(bytes), { left });
  };

  /** Removes the bar. */
  done(): void {
    this.bar?.stop();
  }
}

/**
 * Formats the time left by the pace since the start. The pace of the last moments, which
 * cli-progress uses, jumps with each answer of a server.
 */
const timeLeft = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return Number.isFinite(seconds)
    ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    : '?:??';
};
