import { SingleBar } from 'cli-progress';

/** A run shorter than this shows no bar. */
const SHOWN_AFTER_MS = 1000;
const MIB = 1024 * 1024;

/**
 * A progress bar on standard error, if that is a terminal, once a run has taken a second. `total` is in bytes on disk;
 * where it is not known there is no bar. `doing` stands before it. It changes no setting of the terminal, so that an interruption leaves none behind.
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

  /** Tells how many bytes are done. */
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

  /** Takes the bar away. */
  done(): void {
    this.bar?.stop();
  }
}

/** By the pace from the beginning: that of the last moments, as cli-progress reckons it, leaps with each answer of a server. */
const timeLeft = (ms: number): string => {
  const seconds = Math.round(ms / 1000);
  return Number.isFinite(seconds)
    ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    : '?:??';
};
