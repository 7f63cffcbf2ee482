import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { QueryBus } from '@nestjs/cqrs';
import { positionsFrom, positionsText, type Change, type Positions } from '#read-model';
import { SAFE_HEADERS } from '../http/strict-requests.js';
import type { Identity } from '../identity/identity.js';
import { AskChanges } from './ask-changes.js';
import type { PositionsWatch } from './positions-watch.js';
import { permitted } from '../identity/permissions.js';

/** How often the stream sends a heartbeat and checks that the reader may still follow it. */
const HEARTBEAT_MS = 5_000;
/** A reader that takes nothing for this time is disconnected. It can reconnect and resume. */
const STALLED_MS_MAX = 10_000;
/** How long an ended stream waits for the reader to take the rest. */
const END_MS_MAX = 1_000;

/** The headers of the stream. They make proxies pass on each event at once. */
export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  ...SAFE_HEADERS,
};

interface Followed {
  readonly queries: QueryBus;
  readonly watch: PositionsWatch;
  readonly since: Positions;
  readonly identity: Identity;
  readonly mayStay: () => Promise<boolean>;
}

/** One reader of the stream, from its request to its end. */
export class Following {
  /** Resolves once either side has ended the connection. */
  readonly done: Promise<void>;
  private readonly logger = new Logger('stream');
  private since: Positions;
  private isSending = false;
  private isAskedAgain = false;
  private readonly heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly of: Followed,
  ) {
    this.since = of.since;
    if (!this.isOpen) {
      // The reader left while its positions were read, so no `close` follows.
      this.done = Promise.resolve();
      return;
    }
    response.writeHead(200, STREAM_HEADERS);
    response.write(`retry: 1000\nid: ${positionsText(this.since)}\n\n`);
    const leave = of.watch.follow(() => this.send());
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.done = new Promise((resolve) => {
      response.on('error', () => response.destroy());
      response.on('close', () => {
        clearInterval(this.heartbeat);
        leave();
        resolve();
      });
    });
    this.send();
  }

  /**
   * Returns whether the reader can still receive. `writable` stays true after the other side has
   * closed.
   */
  private get isOpen(): boolean {
    const { closed, destroyed, writableEnded } = this.response;
    return !closed && !destroyed && !writableEnded;
  }

  end(): void {
    const late = setTimeout(() => this.response.destroy(), END_MS_MAX);
    this.response.once('close', () => clearTimeout(late)).end();
  }

  private beat(): void {
    this.of.mayStay().then(
      (may) => (may ? this.sayStillHere() : this.end()),
      (error: unknown) => this.giveUp(error),
    );
  }

  private sayStillHere(): void {
    if (this.isOpen && !this.response.writableNeedDrain) this.response.write(': still here\n\n');
  }

  /** Sends what has changed. A call during that makes it read once more. */
  private send(): void {
    this.isAskedAgain = true;
    if (this.isSending) return;
    this.isSending = true;
    this.sendVisible().catch((error: unknown) => this.giveUp(error));
  }

  private async sendVisible(): Promise<void> {
    const { queries, identity } = this.of;
    const scope = identity.tables === 'all' ? undefined : identity.tables;
    while (this.isAskedAgain && this.isOpen) {
      this.isAskedAgain = false;
      const { changes, positions, more } = await queries.execute(new AskChanges(this.since, scope));
      const visible = changes.filter(
        ({ is }) => is !== 'finding' || permitted('read-findings', identity.roles),
      );
      // Only the last event has the id, so a reader that is cut off before it gets the same events
      // again.
      for (const [i, change] of visible.entries())
        await this.write(
          `event: ${change.is}\ndata: ${JSON.stringify(thingOf(change))}\n${i === visible.length - 1 ? `id: ${positions}\n` : ''}\n`,
        );
      this.since = positions === '' ? this.since : positionsFrom(positions);
      this.isAskedAgain ||= more;
    }
    this.isSending = false;
  }

  /** Writes, and waits for a reader that takes less than it is sent. */
  private async write(text: string): Promise<void> {
    const { response } = this;
    if (!this.isOpen || response.write(text)) return;
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => response.destroy(), STALLED_MS_MAX);
      const goOn = (): void => {
        clearTimeout(stalled);
        response.off('drain', goOn).off('close', goOn);
        resolve();
      };
      response.on('drain', goOn).on('close', goOn);
    });
  }

  /** Logs what went wrong and disconnects the reader, which can reconnect and resume. */
  private giveUp(error: unknown): void {
    this.logger.warn({
      message: 'stream closed after an error',
      error: error instanceof Error ? error.message : String(error),
    });
    this.response.destroy();
  }
}

function thingOf(change: Change): object {
  switch (change.is) {
    case 'shoe':
      return change.shoe;
    case 'coup':
      return change.coup;
    case 'finding':
      return change.finding;
    case 'table':
      return change.table;
  }
}
