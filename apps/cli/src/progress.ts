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
  private bar: SingleBar | undefined;
  private readonly wanted = process.stderr.isTTY;

  constructor(
    private readonly total: number | undefined,
    private readonly doing = 'auditing',
  ) {}

  /** Tells how many bytes are done. */
  readonly at = (bytes: number): void => {
    if (!this.wanted || this.total === undefined || Date.now() - this.begun < SHOWN_AFTER_MS) return;
    const mib = (count: number): number => Math.round(count / MIB);
    if (!this.bar) {
      this.bar = new SingleBar({ format: `${this.doing} {bar} {percentage} %  {value} of {total} MiB  {eta_formatted} left`, barCompleteChar: '█', barIncompleteChar: '░', clearOnComplete: true, gracefulExit: false, linewrap: true, stream: process.stderr, fps: 10, formatTime: timeLeft });
      this.bar.start(mib(this.total), 0);
    }
    this.bar.update(mib(bytes));
  };

  /** Takes the bar away. */
  done(): void {
    this.bar?.stop();
  }
}

/** cli-progress gives a word instead of a number of seconds where it cannot say, as at the very end. */
const timeLeft = (seconds: number): string => (Number.isFinite(seconds) ? `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}` : '0:00');
