import pg from 'pg';
import { WAKE_CHANNEL } from './schema.js';
import { connection } from './sessions.js';

const RETRY_MS = 500;

/**
 * Wakes followers: at once after an append of this log, and through LISTEN after an append of
 * another process. A wake-up is only a hint: it may be spurious or missing.
 */
export class Notifications {
  private readonly followers = new Set<() => void>();
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
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
    await this.client?.end().catch(() => undefined); // it has already ended
  }

  /** Never rejects. If it cannot listen, it retries, and followers poll meanwhile. */
  private async listen(): Promise<void> {
    if (this.closed) return;
    const client = new pg.Client(connection(this.url));
    this.client = client;
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
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
      this.wakeAll();
    } catch {
      over();
    }
  }
}
