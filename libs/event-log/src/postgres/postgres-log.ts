import type pg from 'pg';
import { newClient } from '#postgres';
import { asError } from '#process';
import { type Batch, Batcher, type BatcherStats, QUEUE_BYTES_MAX } from '../batcher.js';
import {
  type Appended,
  type Appending,
  EventLog,
  type Follower,
  type LogHealth,
  type StoredRecord,
  type RecordHandler,
} from '../port.js';
import { serverHealth } from './health.js';
import { Notifications } from './notifications.js';
import { fetchRecords, headOf } from './reader.js';
import { installLog, LOG_ROLE, type LogIdentity } from './schema.js';
import { sendBatches, tryAppend } from './sender.js';
import { LOG_CONNECTION, Sessions } from './sessions.js';
import { PullFollower } from '../pull-follower.js';

/** Settings of a log in PostgreSQL. */
export interface PostgresLogSettings {
  /** Connection URL of a user who may create the schema `log`, or use it once it exists. */
  readonly url: string;
  /** Number of partitions. It never changes. */
  readonly partitions: number;
  readonly queueBytesMax?: number;
  /** Receives each notice for an operator as a sentence, for example that a connection was lost. */
  readonly onNotice?: (text: string) => void;
}

/** About 6 ms of the server's time: the longest that a live append waits for a bulk one. */
const SEND_BYTES_MAX = 512 * 1024;
const READ_BYTES = 1024 * 1024;
/** Bytes that one fetch of a follower reads for all partitions together, and at least for each. */
const FETCH_BYTES_MAX = 8 * 1024 * 1024;
const FETCH_BYTES_MIN = 256 * 1024;
/** One sends. The others are room for a connection that is made beside a silent one. */
const WRITERS = 3;
const READERS = 3;
const POLL_MS = 100;
/** A send takes milliseconds. One that takes longer than this may wait for a disk or a lock. */
const LONG_SEND_MS = 5_000;

/** A log in the schema `log` of a PostgreSQL database, for a single machine. */
export class PostgresLog extends EventLog {
  readonly id: string;
  readonly partitions: number;
  private readonly batcher: Batcher;
  private closed: Promise<void> | undefined;
  private readonly followers = new Set<PullFollower>();
  private readonly writers: Sessions;
  private readonly readers: Sessions;
  private readonly notifications: Notifications;
  /** A batch that was not appended, until one is or could be. */
  private refused: Batch | undefined;
  /** The first batch of the send under way. */
  private sending: { readonly batch: Batch; readonly since: number } | undefined;

  /**
   * Opens the log; creates it if it is missing. Throws if the log does not match the settings or
   * cannot be reached.
   */
  static async open(settings: PostgresLogSettings): Promise<PostgresLog> {
    const client = newClient(settings.url, LOG_CONNECTION);
    await client.connect();
    try {
      const identity = await installLog(client, settings.partitions);
      return new PostgresLog(settings, identity, await mayBeLimited(client));
    } finally {
      await client.end();
    }
  }

  private constructor(
    private readonly settings: PostgresLogSettings,
    identity: LogIdentity,
    private readonly limited: boolean,
  ) {
    super();
    const { queueBytesMax = QUEUE_BYTES_MAX, onNotice = () => undefined } = settings;
    this.id = identity.id;
    this.partitions = identity.partitions;
    this.writers = new Sessions(settings.url, identity, {
      max: WRITERS,
      limited,
      onNotice,
    });
    this.readers = new Sessions(settings.url, identity, {
      max: READERS,
      limited,
      onNotice,
    });
    this.notifications = new Notifications(settings.url);
    this.batcher = new Batcher({
      partitions: identity.partitions,
      queues: 1, // one send at a time: one fsync commits what waits for all partitions
      queueOf: () => 0,
      sendBytesMax: SEND_BYTES_MAX,
      queueBytesMax,
      send: (batches) => this.send(batches),
    });
  }

  /** Returns counts of sends and records. */
  stats(): BatcherStats {
    return this.batcher.stats();
  }

  append(appending: Appending): Promise<Appended> {
    return this.batcher.append(appending);
  }

  async read(partition: number, from: number, bytes = READ_BYTES): Promise<StoredRecord[]> {
    const [records] = await fetchRecords(this.readers, [{ partition, from }], bytes);
    return records as StoredRecord[];
  }

  head(partition: number): Promise<number> {
    return headOf(this.readers, partition);
  }

  follow(handler: RecordHandler): Follower {
    const follower = new PullFollower(
      {
        partitions: this.partitions,
        fetch: (wanted) =>
          fetchRecords(
            this.readers,
            wanted,
            Math.max(FETCH_BYTES_MIN, FETCH_BYTES_MAX / wanted.length),
          ),
        onAppended: (wake) => this.notifications.add(wake),
        pollMs: POLL_MS,
      },
      handler,
    );
    this.followers.add(follower);
    return follower;
  }

  /** Tries an append first if the last one failed or the one under way takes long. */
  async health(): Promise<LogHealth> {
    const { queuedBytes, queueBytesMax } = this.batcher.stats();
    const { doubt } = this;
    const role = this.limited ? LOG_ROLE : undefined;
    const { notes, ...health } = await serverHealth(
      this.settings.url,
      doubt && ((client) => tryAppend(client, doubt, role)),
    );
    if (health.takesRecords) this.taken();
    const unlimited = `the database user may not work under the role ${LOG_ROLE}: only triggers keep the log append-only`;
    return {
      ...health,
      notes: this.limited ? notes : [...notes, unlimited],
      queuedBytes,
      queueBytesMax,
    };
  }

  /** What to try to append, because it is not sure whether the server takes anything. */
  private get doubt(): Batch | undefined {
    const { sending } = this;
    const isLong = sending !== undefined && performance.now() - sending.since > LONG_SEND_MS;
    return this.refused ?? (isLong ? sending.batch : undefined);
  }

  private async send(batches: readonly Batch[]): Promise<readonly number[]> {
    const [batch] = batches as [Batch];
    this.sending = { batch, since: performance.now() };
    try {
      const firsts = await sendBatches(this.writers, batches);
      this.taken();
      this.notifications.wakeAll();
      return firsts;
    } catch (error) {
      if (!this.refused) this.notice(`an append failed: ${asError(error).message}`);
      this.refused = batch;
      throw error;
    } finally {
      this.sending = undefined;
    }
  }

  private taken(): void {
    if (this.refused) this.notice('the log takes records again');
    this.refused = undefined;
  }

  private notice(text: string): void {
    this.settings.onNotice?.(text);
  }

  close(graceMs?: number): Promise<void> {
    return (this.closed ??= this.letGo(graceMs));
  }

  private async letGo(graceMs?: number): Promise<void> {
    await this.batcher.close(graceMs);
    await Promise.all([...this.followers].map((follower) => follower.close()));
    await this.notifications.close();
    await Promise.all([this.writers.close(), this.readers.close()]);
  }
}

/** Returns whether the log's sessions can use the role that may only append and read. */
async function mayBeLimited(client: pg.ClientBase): Promise<boolean> {
  const allowed = await client.query(`set role ${LOG_ROLE}`).then(
    () => true,
    () => false,
  );
  if (!allowed) return false;
  const { rows } = await client.query<{ may: boolean }>(
    `select has_function_privilege('log.append(int[], int[], int[], int[], text[], int[], int[], bytea)', 'execute') as may`,
  );
  return rows[0]?.may === true;
}
