import type { Duplex } from 'node:stream';
import type { PortListener } from './port.js';

/** How much a peer may leave unread before it loses its link. */
const UNSENT_BYTES_MAX = 65_536;

/** A link to a device, while it lasts. */
export interface Link {
  readonly stream: Duplex;
  /** The address and port of the other side, or null for a serial line. */
  readonly peer: string | null;
  /** Resolves when the link has ended, with the reason in words. Never rejects. */
  readonly ended: Promise<string>;
  /** Closes it, and resolves once nothing of it is open. It may be called twice. */
  close(): Promise<void>;
}

/**
 * The links of one port: at most one at a time. Passes on what comes over it, and reports each
 * change once.
 */
export class Links {
  private current: Link | undefined;
  private isLost = false;
  private isPaused = false;
  private isClosed = false;
  private readonly closing = new Set<Promise<void>>();

  constructor(
    private readonly listener: PortListener,
    private readonly writes: boolean,
  ) {}

  /** Takes a link. It replaces the former one, whose bytes are no longer passed on. */
  take(link: Link): void {
    if (this.current) this.lose(this.current, `${link.peer ?? 'it'} connected in its place`);
    if (this.isClosed) return this.discard(link);
    this.current = link;
    this.isLost = false;
    if (this.isPaused) link.stream.pause();
    link.stream.on('data', (bytes: Uint8Array) => {
      if (this.current === link) this.listener.bytes(bytes, performance.now() / 1_000);
    });
    void link.ended.then((reason) => this.lose(link, reason));
    this.listener.opened(link.peer);
  }

  /** Notes that a link could not be made. Reports it unless it is known. */
  failed(reason: string): void {
    if (this.isClosed || this.isLost) return;
    this.isLost = true;
    this.listener.lost(reason);
  }

  /** Notes that a peer's connection was closed at once. */
  refused(peer: string, reason: string): void {
    if (!this.isClosed) this.listener.refused?.(peer, reason);
  }

  /** See `Port.write`. */
  write(text: string): void {
    if (!this.writes) throw new Error('this port is receive-only, and was asked to write');
    const link = this.current;
    if (!link) return;
    if (link.stream.writableLength + text.length > UNSENT_BYTES_MAX)
      this.lose(link, `the other side does not read: ${link.stream.writableLength} bytes unsent`);
    else link.stream.write(text, 'latin1');
  }

  /** See `Port.pause`. */
  pause(): void {
    this.isPaused = true;
    this.current?.stream.pause();
  }

  /** See `Port.resume`. */
  resume(): void {
    this.isPaused = false;
    this.current?.stream.resume();
  }

  /** Ends the link without a report to the listener. Resolves once every link is closed. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.current) this.discard(this.current);
    this.current = undefined;
    await Promise.all(this.closing);
  }

  private lose(link: Link, reason: string): void {
    if (this.current !== link) return;
    this.current = undefined;
    this.discard(link);
    this.failed(reason);
  }

  private discard(link: Link): void {
    const closing: Promise<void> = link.close().finally(() => this.closing.delete(closing));
    this.closing.add(closing);
  }
}
