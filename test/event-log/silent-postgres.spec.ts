import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Appended, PostgresLog } from '#event-log';
import { within } from '#process';
import { Notifications } from '../../libs/event-log/src/postgres/notifications.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { SilentProxy } from '../kit/silent-proxy.js';
import { Collector } from './collector.js';

/** Every call must end long before this, however busy the machine is. */
const END_MS_MAX = 25_000;

let database: TestDatabase;
let proxy: SilentProxy;
let log: PostgresLog;
let near: PostgresLog;
let goOn = (): void => undefined;

beforeEach(async () => {
  database = await createDatabase();
  const through = await SilentProxy.beforeDatabase(database.url);
  proxy = through.proxy;
  log = await PostgresLog.open({ url: through.url, partitions: 2 });
  near = await PostgresLog.open({ url: database.url, partitions: 2 });
});
afterEach(async () => {
  goOn();
  await within(END_MS_MAX, Promise.all([log.close(), near.close()]));
  await proxy.close();
  await database.drop();
});

const append = (to: PostgresLog, value: string): Promise<Appended> =>
  within(
    END_MS_MAX,
    to.append({
      partition: 0,
      records: [{ key: 'T1', value: Buffer.from(value) }],
      urgency: 'live',
    }),
  );
const followed = (taker: Collector, from: PostgresLog): void => from.follow(taker).add(0, 0);

describe('a log in a PostgreSQL that is silent', () => {
  it('ends every call, and works again once the server answers', async () => {
    const taker = new Collector();
    followed(taker, log);
    await append(log, 'before');
    goOn = proxy.hold();
    const calls = [append(log, 'a'), append(log, 'b'), log.read(0, 0), log.head(0)];
    const ends = await within(END_MS_MAX, Promise.allSettled(calls));
    expect(ends.map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    expect(await within(END_MS_MAX, log.health())).toMatchObject({ reachable: false });
    goOn();
    await eventually('an append', () => append(log, 'after').then(() => true));
    await eventually('the record', () => taker.texts(0).includes('after'));
    expect(taker.stops).toEqual([]);
  });

  it('says that nothing was recorded of an append for which there is no connection', async () => {
    goOn = proxy.hold();
    await expect(append(log, 'a')).rejects.toMatchObject({ name: 'NotRecorded' });
  });

  it('says that the outcome of an append under way is unknown', async () => {
    await append(log, 'before');
    goOn = proxy.hold();
    await expect(append(log, 'a')).rejects.toMatchObject({ name: 'OutcomeUnknown' });
  });

  it('closes meanwhile', async () => {
    followed(new Collector(), log);
    await append(log, 'before');
    goOn = proxy.hold();
    await within(END_MS_MAX, log.close());
  });
});

describe('a log whose connections stay half-open', () => {
  it('appends, reads and follows on new ones', async () => {
    const taker = new Collector();
    followed(taker, log);
    await append(log, 'before');
    await eventually('the first record', () => taker.texts(0).includes('before'));
    proxy.loseConnections();
    await append(near, 'by another');
    await eventually('the record of another process', () => taker.texts(0).includes('by another'));
    await eventually('an append', () => append(log, 'after').then(() => true));
    await eventually('the record', () => taker.texts(0).includes('after'));
    expect(taker.stops).toEqual([]);
  });

  it('is woken again by other processes', async () => {
    let wakes = 0;
    const { proxy: way, url } = await SilentProxy.beforeDatabase(database.url);
    const notifications = new Notifications(url);
    notifications.add(() => (wakes += 1));
    const client = new pg.Client(database.url);
    await client.connect();
    const wake = async (): Promise<boolean> => {
      await client.query('notify shoeprint_log');
      return wakes > 1;
    };
    await eventually('a wake-up', wake);
    way.loseConnections();
    wakes = 0;
    await eventually('a wake-up on a new connection', wake, 30_000);
    await client.end();
    await within(END_MS_MAX, notifications.close());
    await way.close();
  });
});
