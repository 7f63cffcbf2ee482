import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PostgresLog, type StoredRecord } from '#event-log';
import { Notifications } from '../../libs/event-log/src/postgres/notifications.js';
import { Sessions } from '../../libs/event-log/src/postgres/sessions.js';
import { PullFollower, type Wanted } from '../../libs/event-log/src/pull-follower.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { Collector } from './collector.js';

/** The least time between two fetches: five milliseconds, and a timer may come one early. */
const GAP_MS = 4;
const PARTITIONS = 4;

/** A log of four partitions to follow, which counts how often it is asked. */
class Source {
  readonly partitions = PARTITIONS;
  readonly pollMs = 60_000;
  fetches = 0;
  private readonly records = Array.from({ length: PARTITIONS }, (): StoredRecord[] => []);
  private wake = (): void => undefined;

  append(partition: number): void {
    const own = this.records[partition] as StoredRecord[];
    own.push({ partition, offset: own.length, key: 'T1', value: Buffer.from('x') });
    this.wake();
  }

  onAppended(wake: () => void): () => void {
    this.wake = wake;
    return () => undefined;
  }

  async fetch(wanted: readonly Wanted[]): Promise<StoredRecord[][]> {
    this.fetches += 1;
    return wanted.map(({ partition, from }) => this.records[partition]?.slice(from) ?? []);
  }
}

describe('a follower that fetches', () => {
  it('fetches once for all that comes within five milliseconds', async () => {
    const source = new Source();
    const taker = new Collector();
    const follower = new PullFollower(source, taker);
    const since = performance.now();
    for (let partition = 0; partition < PARTITIONS; partition += 1) follower.add(partition, 0);
    for (let appended = 0; appended < 2_000; appended += 1) {
      source.append(appended % PARTITIONS);
      await turn();
    }
    const all = (): boolean => taker.texts(PARTITIONS - 1).length === 2_000 / PARTITIONS;
    await eventually('the last record', all);
    const { fetches } = source;
    expect(fetches).toBeLessThanOrEqual((performance.now() - since) / GAP_MS + 1);
    await follower.close();
  });
});

describe('a log in PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await createDatabase()));
  afterAll(() => database.drop());

  const processOf = async (client: pg.ClientBase): Promise<number> => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return (rows[0] as { pid: number }).pid;
  };

  it('is woken by other processes, and not by its own', async () => {
    const [own, other] = [new pg.Client(database.url), new pg.Client(database.url)];
    await Promise.all([own.connect(), other.connect()]);
    const [ownProcess, otherProcess] = [await processOf(own), await processOf(other)];
    const heard: number[] = [];
    let wakes = 0;
    const notifications = new Notifications(database.url, (process) => {
      heard.push(process);
      return process === ownProcess;
    });
    notifications.add(() => (wakes += 1));
    await eventually('the wake-up at its start', () => wakes === 1);
    for (const client of [own, own, other]) await client.query('notify shoeprint_log');
    await eventually('the notification of the other', () => heard.includes(otherProcess));
    expect({ heard: heard.length, wakes }).toEqual({ heard: 3, wakes: 2 });
    await Promise.all([own.end(), other.end(), notifications.close()]);
  });

  it('knows the processes of its connections', async () => {
    const log = await PostgresLog.open({ url: database.url, partitions: PARTITIONS });
    const settings = { max: 1, limited: false, onNotice: (): void => undefined };
    const sessions = new Sessions(database.url, log, settings);
    const client = await sessions.take();
    const process = await processOf(client);
    expect([sessions.has(process), sessions.has(process + 1)]).toEqual([true, false]);
    client.release(true);
    await eventually('the end of the connection', () => !sessions.has(process));
    await Promise.all([sessions.close(), log.close()]);
  });
});
