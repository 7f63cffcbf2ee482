import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '#event-log';
import { within } from '#process';
import type { Outbox } from '#seal-store';
import { errorText, type Journal } from '#server';
import { houseLines } from './house-events.js';

/** How often to look for lines that wait, and how soon a failure is tried again. */
const LOOK_MS = 1_000;
/** Most lines of one append. */
const LINES_MAX = 100;
/** Most lines that wait in memory while the database is away. */
const UNKEPT_MAX = 1_000;
/** The longest that the end of the process waits for the log. */
const CLOSE_MS = 2_000;

/**
 * Brings lines from the outbox in the database to the record of the house: each at least once, and
 * with the same id each time, so it counts once. What an earlier process left is sent too.
 */
export class HouseOutbox {
  private readonly unkept: string[] = [];
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private wakeUp: (() => void) | undefined;
  private isAway = false;

  constructor(
    private readonly log: EventLog,
    private readonly outbox: Outbox,
    private readonly journal: Journal,
  ) {}

  /** Begins to send. Call it once. */
  start(): void {
    this.running = this.run();
  }

  /** Sends a line that is not in the database yet. Returns at once. */
  add(line: string): void {
    if (this.unkept.length < UNKEPT_MAX) this.unkept.push(line);
    else this.journal.error('event not recorded: too many wait for the database', { line });
    this.soon();
  }

  /** Sends what is in the database at once. */
  soon(): void {
    this.wakeUp?.();
  }

  /** Stops sending. What the log has not taken stays in the database, for the next process. */
  async close(): Promise<void> {
    this.closing.abort();
    this.soon();
    if (!this.running) return;
    await within(CLOSE_MS, this.running).catch(() => undefined); // the log is slow
  }

  private async run(): Promise<void> {
    for (;;) {
      await this.turn();
      if (this.closing.signal.aborted) return;
      await this.rest();
    }
  }

  private async turn(): Promise<void> {
    try {
      await this.keep();
      while ((await this.send()) === LINES_MAX);
      this.isAway = false;
    } catch (error) {
      if (!this.isAway)
        this.journal.error('retrying to send the outbox', { error: errorText(error) });
      this.isAway = true;
    }
  }

  /** Moves what waits in memory into the database. */
  private async keep(): Promise<void> {
    const lines = [...this.unkept];
    if (lines.length === 0) return;
    await this.outbox.add(lines);
    this.unkept.splice(0, lines.length);
  }

  /** Appends the oldest lines, and returns how many. */
  private async send(): Promise<number> {
    const lines = await this.outbox.take(LINES_MAX);
    if (lines.length === 0) return 0;
    try {
      const appending = houseLines(
        this.log,
        lines.map(({ line }) => line),
      );
      await this.log.append(appending);
    } catch (error) {
      await this.outbox.free(lines);
      throw error;
    }
    await this.outbox.delete(lines);
    return lines.length;
  }

  private async rest(): Promise<void> {
    const waking = new AbortController();
    this.wakeUp = () => waking.abort();
    if (this.closing.signal.aborted || this.unkept.length > 0) waking.abort();
    await pause(LOOK_MS, undefined, { signal: waking.signal }).catch(() => undefined); // woken
    this.wakeUp = undefined;
  }
}
