import type pg from 'pg';
import { newClient } from '#postgres';
import { WAKE_CHANNEL } from './schema.js';
import { LOG_CONNECTION } from './sessions.js';

const RETRY_MS = 500;
/**
 * How often the listening connection is asked whether it is still there. It waits for nothing, so a
 * connection that is lost would otherwise never be noticed.
 */
const ASK_MS = 10_000;

/**
 * Wakes followers: at once after an append of this log, and through LISTEN after an append of
 * another process. A wake-up is only a hint: it may be spurious or missing.
 */
export class Notifications {
  private readonly followers = new Set<() => void>();
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private asking: NodeJS.Timeout | undefined;
  private listening = false;
  private closed = false;

  constructor(private readonly url: string) {}

  /**
   * Calls `wake` from now on and returns a function that unsubscribes. The first call opens the
   * listening connection.
   */
  add(wake: () => void): () => void {
    this.followers.add(wake);
    if (!this.listening) {
      this.listening = true;
      void this.listen();
    }
    return () => void this.followers.delete(wake);
  }

  wakeAll(): void {
    for (const wake of this.followers) wake();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    clearInterval(this.asking);
    await this.client?.end().catch(() => undefined); // it has already ended
  }

  /** Never rejects. If it cannot listen, it retries, and followers poll meanwhile. */
  private async listen(): Promise<void> {
    if (this.closed) return;
    const client = newClient(this.url, LOG_CONNECTION);
    this.client = client;
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(this.asking);
      void client.end().catch(() => undefined); // it is already broken
      if (!this.closed) this.retry = setTimeout(() => void this.listen(), RETRY_MS);
    };
    client
      .on('error', over)
      .on('end', over)
      .on('notification', () => this.wakeAll());
    try {
      await client.connect();
      await client.query(`listen ${WAKE_CHANNEL}`);
      this.asking = setInterval(() => void client.query('select').catch(over), ASK_MS);
      this.wakeAll();
    } catch {
      over();
    }
  }
}
