import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { asError } from '#process';
import { positionsText, type Positions } from '#read-model';
import { whenStalled } from '../http/stalled-readers.js';
import type { ChangeFeed, StreamReader } from './change-feed.js';
import type { Viewer } from './views.js';

/** How often the stream sends a heartbeat. */
const HEARTBEAT_MS = 5_000;
/** A reader that takes nothing for this time is disconnected. It can reconnect and resume. */
const STALLED_MS_MAX = 10_000;
/** A reader with more bytes than this to take is sent no more until it has taken them. */
const BACKLOG_BYTES_MAX = 256 * 1024;
/** How long a reader that is not level waits if there was nothing to read. */
const AGAIN_MS = 25;
/** How long an ended stream waits for the reader to take the rest. */
const END_MS_MAX = 1_000;

/** The headers of the stream. They make proxies pass on each event at once. */
export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

/** How a stream begins, and what it asks. */
interface Followed {
  /** The headers that every answer has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly changes: ChangeFeed;
  readonly viewer: Viewer;
  /** Where the reader begins, and where the sharing begins if nobody else follows. */
  readonly since: Positions;
  readonly now: Positions;
  /** Called when the reader is disconnected because it did not take what it was sent. */
  readonly dropped: () => void;
}

/** One reader of the stream, from its request to its end. */
export class Following implements StreamReader {
  /** Resolves once either side has ended the connection. */
  readonly done: Promise<void>;
  readonly viewer: Viewer;
  since: Positions;
  private readonly logger = new Logger('stream');
  private heartbeat: NodeJS.Timeout | undefined;
  /** Continues a reader that was level. */
  private goOn: () => void = () => undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly of: Followed,
  ) {
    this.viewer = of.viewer;
    this.since = of.since;
    // A reader who left while the positions were read gets no further `close` event.
    this.done = this.isOpen ? this.untilClosed() : Promise.resolve();
    if (!this.isOpen) return;
    response.writeHead(200, { ...of.headers, ...STREAM_HEADERS });
    whenStalled(response, STALLED_MS_MAX, () => this.drop());
    response.write(`retry: 1000\nid: ${positionsText(this.since)}\n\n`);
    this.heartbeat = setInterval(() => this.sayStillHere(), HEARTBEAT_MS);
    of.changes.join(this, of.now);
    this.follow().catch((error: unknown) => this.giveUp(error));
  }

  /** Ends the stream: at once for a reader who takes the rest, and soon for any other. */
  end(): void {
    const late = setTimeout(() => this.response.destroy(), END_MS_MAX);
    this.response.once('close', () => clearTimeout(late)).end();
  }

  take(messages: Buffer | string): boolean {
    const { response } = this;
    if (!this.isOpen) return true;
    if (response.writableLength > BACKLOG_BYTES_MAX) return false;
    response.write(messages);
    return true;
  }

  fallsBehind(): void {
    this.goOn();
  }

  /**
   * Returns whether the reader can still receive. `writable` stays true after the other side has
   * closed.
   */
  private get isOpen(): boolean {
    const { closed, destroyed, writableEnded } = this.response;
    return !closed && !destroyed && !writableEnded;
  }

  private untilClosed(): Promise<void> {
    const { response } = this;
    response.on('error', () => response.destroy());
    return new Promise((resolve) => {
      response.on('close', () => {
        clearInterval(this.heartbeat);
        this.of.changes.leave(this);
        this.goOn();
        resolve();
      });
    });
  }

  /** Reads what the reader lacks, then shares what all readers share, until it falls behind. */
  private async follow(): Promise<void> {
    const { changes } = this.of;
    for (;;) {
      await this.drained();
      if (!this.isOpen) return;
      if (changes.admit(this)) {
        await new Promise<void>((resolve) => (this.goOn = resolve));
        continue;
      }
      const { batch, more } = await changes.readFor(this);
      this.take(batch.render(this.viewer, batch.changes));
      this.since = batch.to;
      if (!more && batch.changes.length === 0) await pause(AGAIN_MS);
    }
  }

  /** Resolves once the reader has taken what was written, or has left. */
  private async drained(): Promise<void> {
    const { response } = this;
    if (!this.isOpen || !response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const taken = (): void => {
        response.off('drain', taken).off('close', taken);
        resolve();
      };
      response.on('drain', taken).on('close', taken);
    });
  }

  /** Sends a comment, and how far the stream is, so that a quiet screen resumes from here. */
  private sayStillHere(): void {
    if (this.isOpen && !this.response.writableNeedDrain)
      this.take(`: still here\nid: ${positionsText(this.of.changes.positionOf(this))}\n\n`);
  }

  private drop(): void {
    this.of.dropped();
    this.logger.warn({ message: 'stream closed: the reader is too slow' });
    this.response.destroy();
  }

  /** Logs what went wrong and disconnects the reader, which can reconnect and resume. */
  private giveUp(error: unknown): void {
    this.logger.warn({ message: 'stream closed after an error', error: asError(error).message });
    this.response.destroy();
  }
}
