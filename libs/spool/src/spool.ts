import { setImmediate as turn } from 'node:timers/promises';
import { asError, unlessAborted } from '#process';
import { type ReadLimits, type SpoolContents, SpoolReader } from './delivery.js';
import type { SpoolDisk } from './segments/disk.js';
import { frameFault, type SpoolFrame } from './segments/line.js';
import type { SpoolOwner } from './owner.js';
import { type Recovered, recover } from './segments/recovery.js';
import { SpoolFull } from './refusals.js';
import { SPOOL_SETTINGS, type SpoolSettings } from './settings.js';
import { bytesOf, SegmentWriter, type Written } from './segments/writer.js';

/** The most bytes that wait for the disk, and so the most that one line has. */
const QUEUE_BYTES_MAX = 1024 * 1024;

/** The figures of a spool at one moment. */
export interface SpoolFigures {
  /** The number of the last durable line, 0 before the first. */
  readonly last: number;
  /** The number of the last line that was delivered. Lines without frames need no delivery. */
  readonly sent: number;
  readonly segments: number;
  readonly bytes: number;
  /** Why no frames are taken, or undefined if they are. */
  readonly full: string | undefined;
}

/**
 * Keeps frames, and the contents that were made of them, on disk until they are delivered and for
 * some days after. Writes one line at a time, durable before the next. All frames that are handed
 * in before a line is written are in that line.
 */
export class Spool {
  private readonly writer: SegmentWriter;
  private readonly reader: SpoolReader;
  private readonly closed = new AbortController();
  private sent: number;
  /** The last line that may have frames: those after it have the cursor alone. */
  private framesTo: number;
  /** The next line. */
  private batch: Batch | undefined;
  /** Bytes of frames that are not durable yet, those of the line under way included. */
  private queuedBytes = 0;
  private full: { reason: string; readonly wanted: number } | undefined;
  private readonly jobs: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private grown = new Deferred<void>();
  private ended: Promise<void> | undefined;

  private constructor(
    private readonly owner: SpoolOwner,
    private readonly settings: SpoolSettings,
    { disk, recovered }: { readonly disk: SpoolDisk; readonly recovered: Recovered },
    private readonly end: () => Promise<void>,
  ) {
    this.writer = new SegmentWriter(disk, owner, settings, recovered);
    this.reader = new SpoolReader(disk, (damage) =>
      this.alone(() => recovered.aside.report(damage)),
    );
    this.sent = recovered.sent;
    this.framesTo = this.writer.last;
  }

  /**
   * Opens the spool on a disk that nobody else writes to, and restores the owner's state. What the
   * disk has is durable when this resolves. Rejects with `SpoolRefused` for a spool of a newer
   * version, and if the disk fails. `close` calls `end` last.
   */
  static async open(
    disk: SpoolDisk,
    owner: SpoolOwner,
    settings: Partial<SpoolSettings> = {},
    end = async (): Promise<void> => undefined,
  ): Promise<Spool> {
    const recovered = await recover(disk, owner);
    return new Spool(owner, { ...SPOOL_SETTINGS, ...settings }, { disk, recovered }, end);
  }

  get figures(): SpoolFigures {
    const { last, bytes, segments } = this.writer;
    const { full } = this;
    const sent = this.sent < this.framesTo ? this.sent : last;
    return { last, sent, segments: segments.length, bytes, full: full?.reason };
  }

  /**
   * Resolves once the frames are durable, in one line with all that are handed in meanwhile.
   * Rejects with `SpoolFull` if there is no room: they are not recorded then. Rejects with
   * `RangeError` for a frame that cannot be kept, and for more than 1 MiB. `isPastCap`: the line
   * ignores the cap, also in a spool that is full. It is for what lets delivery go on, because only
   * delivery makes room.
   */
  async append(frames: readonly SpoolFrame[], { isPastCap = false } = {}): Promise<Written> {
    this.closed.signal.throwIfAborted();
    const texts = frames.map(textOf);
    const bytes = bytesOf(texts);
    if (texts.length === 0) throw new RangeError('frames must not be empty');
    if (bytes > QUEUE_BYTES_MAX)
      throw new RangeError(`frames have ${bytes} bytes (expected at most ${QUEUE_BYTES_MAX})`);
    if (this.full && !isPastCap) throw new SpoolFull(this.full.reason);
    if (this.queuedBytes + bytes > QUEUE_BYTES_MAX)
      throw new SpoolFull(`${this.queuedBytes} bytes wait for the disk`);
    this.batch ??= { frames: [], texts: [], written: new Deferred(), isPastCap };
    this.batch.isPastCap ||= isPastCap;
    this.batch.frames.push(...frames);
    this.batch.texts.push(...texts);
    this.queuedBytes += bytes;
    this.wake();
    return this.batch.written.promise;
  }

  /**
   * Takes note that all lines up to this one are delivered. The cursor becomes durable with the
   * next line, or after `cursorMs`. Throws `RangeError` for a line that is not there.
   */
  delivered(n: number): void {
    if (!Number.isSafeInteger(n) || n < this.sent || n > this.writer.last)
      throw new RangeError(`n must be a line from ${this.sent} to ${this.writer.last}, not ${n}`);
    this.sent = n;
    this.setTimer();
  }

  /**
   * Resolves with the lines after line `after`, which must not be before the cursor: as many as fit
   * into the limits, and at least one. Waits for it until `signal` is aborted or the spool closed,
   * and rejects with the reason. Passes over damage and reports it to the owner.
   */
  async read(
    after: number,
    limits: ReadLimits,
    signal: AbortSignal,
  ): Promise<readonly SpoolContents[]> {
    if (!Number.isSafeInteger(after) || after < this.sent)
      throw new RangeError(`after must be at least ${this.sent}, not ${after}`);
    for (;;) {
      signal.throwIfAborted();
      this.closed.signal.throwIfAborted();
      const { last, segments } = this.writer;
      const grown = this.grown.promise;
      const lines = last > after ? await this.reader.read(segments, after, limits) : [];
      if (lines.length > 0) return lines;
      await unlessAborted(signal, grown);
    }
  }

  /** Returns what line `n` has for the api, or undefined if it is not there or has no frames. */
  async line(n: number): Promise<SpoolContents | undefined> {
    const { segments, last } = this.writer;
    if (!Number.isSafeInteger(n) || n < 1 || n > last) return undefined;
    const [line] = await this.reader.read(segments, n - 1, { contents: 1, bytes: 1 });
    return line?.n === n ? line : undefined;
  }

  /** Writes what waits, and the cursor. Then lets another process open the spool. */
  close(): Promise<void> {
    this.ended ??= this.finish();
    return this.ended;
  }

  private async finish(): Promise<void> {
    this.shut(new Error('the spool is closed'));
    if (this.sent > this.writer.durableSent && !this.full) this.jobs.push(() => this.writeCursor());
    this.wake();
    await this.running;
    await this.end();
  }

  /** Takes nothing more. */
  private shut(reason: Error): void {
    this.closed.abort(reason);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.grown.resolve();
  }

  /** Stops at a bug, such as an owner that throws: its state and the disk may differ. */
  private fail(error: Error): void {
    this.shut(error);
    this.rejectBatch(error);
  }

  private rejectBatch(error: Error): void {
    const { batch } = this;
    this.batch = undefined;
    batch?.written.reject(error);
    this.queuedBytes -= bytesOf(batch?.texts ?? []);
  }

  /** Does some work while nothing else is written. */
  private alone(work: () => Promise<void>): Promise<void> {
    const done = new Deferred<void>();
    this.jobs.push(() => work().then(done.resolve, done.reject));
    this.wake();
    return done.promise;
  }

  private wake(): void {
    this.running ??= this.run();
  }

  /** Works until there is nothing to do. Begins a turn later, when all frames of this one are in. */
  private async run(): Promise<void> {
    await turn();
    for (;;) {
      const job = this.jobs.shift() ?? this.lineJob();
      if (!job) break;
      await job();
    }
    this.running = undefined;
    this.setTimer();
  }

  private lineJob(): (() => Promise<void>) | undefined {
    const { batch } = this;
    this.batch = undefined;
    return batch && (() => this.writeBatch(batch));
  }

  private async writeBatch({ frames, texts, written, isPastCap }: Batch): Promise<void> {
    const { sent } = this;
    try {
      if (this.full) await this.reopen();
      const done = await this.writer.write(sent, texts, isPastCap);
      const line = { n: done.n, sent, frames };
      this.framesTo = done.n;
      this.owner.apply(line);
      this.reader.wrote(line, this.writer.end);
      written.resolve(done);
      this.grow();
    } catch (thrown) {
      const error = asError(thrown);
      written.reject(error);
      if (error instanceof SpoolFull) this.becomeFull(error, texts);
      else this.fail(error);
    }
    this.queuedBytes -= bytesOf(texts);
  }

  private async writeCursor(): Promise<void> {
    try {
      const { sent } = this;
      const { n } = await this.writer.write(sent, []);
      this.reader.wrote({ n, sent, frames: [] }, this.writer.end);
      this.grow();
    } catch (thrown) {
      const error = asError(thrown);
      if (error instanceof SpoolFull) this.becomeFull(error, []);
      else this.fail(error);
    }
  }

  private grow(): void {
    this.grown.resolve();
    this.grown = new Deferred();
  }

  private becomeFull({ message: reason }: SpoolFull, texts: readonly string[]): void {
    if (this.full) return;
    this.full = { reason, wanted: bytesOf(texts) };
    this.owner.notice({ kind: 'full', reason });
    this.rejectBatch(new SpoolFull(reason));
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Makes the disk of a full spool take a line. */
  private async reopen(): Promise<void> {
    try {
      await this.writer.reopen(this.sent);
    } catch (error) {
      throw new SpoolFull(`the disk refuses: ${asError(error).message}`, { cause: error });
    }
  }

  private async lookForRoom(): Promise<void> {
    if (!this.full) return;
    try {
      await this.writer.reopen(this.sent);
      await this.writer.makeRoom(this.sent, this.full.wanted);
    } catch (error) {
      this.full.reason = asError(error).message;
      return;
    }
    this.full = undefined;
    this.owner.notice({ kind: 'room' });
  }

  /** Sees to it that a full spool finds room, and that the cursor becomes durable. */
  private setTimer(): void {
    const { full, settings, sent, writer } = this;
    if (this.timer || this.closed.signal.aborted) return;
    if (!full && sent <= writer.durableSent) return;
    const work = full ? () => this.lookForRoom() : () => this.writeCursorIfDue();
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.jobs.push(work);
        this.wake();
      },
      full ? settings.retryMs : settings.cursorMs,
    );
  }

  private async writeCursorIfDue(): Promise<void> {
    if (this.sent > this.writer.durableSent && !this.full) await this.writeCursor();
  }
}

interface Batch {
  readonly frames: SpoolFrame[];
  readonly texts: string[];
  readonly written: Deferred<Written>;
  /** Whether a frame of it must not wait for room under the cap. */
  isPastCap: boolean;
}

/** A promise that somebody else settles. */
class Deferred<T> {
  readonly promise: Promise<T>;
  resolve!: (value: T) => void;
  reject!: (error: Error) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

function textOf(frame: SpoolFrame, at: number): string {
  const fault = frameFault(frame);
  if (fault !== undefined) throw new RangeError(`/frames/${at}: ${fault}`);
  return JSON.stringify(frame);
}
