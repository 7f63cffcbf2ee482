import { newClient } from '#postgres';
import type pg from 'pg';
import { WANTED_CHANNEL } from '../reading/channels.js';

const RETRY_MS = 1_000;
/** How often the connection is asked whether it is still there. It waits for nothing by itself. */
const ASK_MS = 10_000;

/** Hears whether somebody asks for a seal. A request while the database is away is lost. */
export class SealRequests {
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isAsked = false;
  private isClosed = false;

  /** Begins to listen. Never rejects: it tries again until it is closed. */
  constructor(private readonly url: string) {
    void this.listen();
  }

  /** Whether a seal was asked for since `answered` was called. */
  get isWaiting(): boolean {
    return this.isAsked;
  }

  /** Forgets what was asked for until now. */
  answered(): void {
    this.isAsked = false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined); // it has already ended
  }

  private async listen(): Promise<void> {
    if (this.isClosed) return;
    const client = newClient(this.url, {
      applicationName: 'shoeprint sealer',
      statementMs: ASK_MS,
    });
    this.client = client;
    client
      .once('end', () => this.listenAgain(client))
      .on('notification', () => (this.isAsked = true));
    try {
      await client.connect();
      await client.query(`listen ${WANTED_CHANNEL}`);
      this.lookAfter(client);
    } catch {
      this.listenAgain(client);
    }
  }

  private lookAfter(client: pg.Client): void {
    if (this.isClosed || this.client !== client) return;
    this.timer = setTimeout(() => {
      client.query('select').then(
        () => this.lookAfter(client),
        () => this.listenAgain(client),
      );
    }, ASK_MS);
  }

  private listenAgain(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    clearTimeout(this.timer);
    void client.end().catch(() => undefined); // it is already broken
    if (!this.isClosed) this.timer = setTimeout(() => void this.listen(), RETRY_MS);
  }
}
