import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { connectionOptions, newClient } from '#postgres';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { SilentProxy } from '../kit/silent-proxy.js';

let database: TestDatabase;
let proxy: SilentProxy;
let url: string;
beforeEach(async () => {
  database = await createDatabase();
  ({ proxy, url } = await SilentProxy.beforeDatabase(database.url));
});
afterEach(async () => {
  await proxy.close();
  await database.drop();
});

const OPTIONS = { applicationName: 'shoeprint test', statementMs: 30_000 };
const SILENT = { name: 'ServerSilent', code: 'ETIMEDOUT' };

/** Returns whether the server has sessions of this name. */
const hasSession = async (name: string): Promise<boolean> => {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client
    .query('select from pg_stat_activity where application_name = $1', [name])
    .finally(() => client.end());
  return rows.length > 0;
};

describe('a pool of connections', () => {
  let pool: pg.Pool;
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: url, ...connectionOptions(OPTIONS), max: 2 });
    pool.on('error', () => undefined);
  });
  afterEach(() => pool.end());

  it('rejects a statement of which nothing comes, and works again once the server answers', async () => {
    await pool.query('select 1');
    const goOn = proxy.hold();
    await expect(pool.query('select 2')).rejects.toMatchObject(SILENT);
    goOn();
    const { rows } = await pool.query<{ n: number }>('select 3 as n');
    expect(rows).toEqual([{ n: 3 }]);
  });

  it('throws away a half-open connection that a caller held, though the caller returns it as good', async () => {
    const client = await pool.connect();
    await client.query('select 1');
    proxy.loseConnections();
    await expect(client.query('select 2')).rejects.toMatchObject(SILENT);
    client.release();
    expect((await pool.query<{ n: number }>('select 3 as n')).rows).toEqual([{ n: 3 }]);
    expect(pool.totalCount).toBe(1);
  });

  it('rejects every statement that waits on a half-open connection', async () => {
    const client = await pool.connect();
    await client.query('select 1');
    proxy.loseConnections();
    const answers = await Promise.allSettled(
      ['select 2', 'select 3'].map((text) => client.query(text)),
    );
    client.release();
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('lets a long statement end while the server works on it', async () => {
    const { rows } = await pool.query<{ n: number }>('select 1 as n, pg_sleep(7)');
    expect(rows).toMatchObject([{ n: 1 }]);
    expect(pool.totalCount).toBe(1);
  });

  it('rejects a long statement if the way to the server is lost while it runs', async () => {
    const asked = pool.query('select pg_sleep(20)');
    await eventually('the statement', () => hasSession(OPTIONS.applicationName));
    proxy.hold();
    await expect(asked).rejects.toMatchObject(SILENT);
  });

  it('rejects a connection that the server accepts and does not serve', async () => {
    proxy.hold();
    await expect(pool.query('select 1')).rejects.toThrow(/timeout/);
  });
});

describe('a single connection', () => {
  it('ends though the other side never closes it', async () => {
    const client = newClient(url, OPTIONS);
    await client.connect();
    await client.query('select 1');
    proxy.hold();
    await client.end();
    expect(proxy.joined).toBe(1);
  });

  it('ends twice without harm', async () => {
    const client = newClient(url, OPTIONS);
    await client.connect();
    await Promise.all([client.end(), client.end()]);
    await eventually('the end of the session', async () => !(await hasSession('shoeprint test')));
  });

  it('learns that no answer will come, though its first question about it was lost', async () => {
    const client = newClient(url, OPTIONS);
    await client.connect();
    await client.query('select 1');
    const goOn = proxy.silence();
    const asked = client.query('select 2');
    asked.catch(() => undefined);
    await eventually('the first question', () => proxy.joined > 1);
    goOn();
    await expect(asked).rejects.toThrow('its session works on no statement');
  });

  it('asks nobody while it waits for nothing', async () => {
    const { proxy: way, url: through } = await SilentProxy.beforeDatabase(database.url);
    const [idle, busy] = [newClient(url, OPTIONS), newClient(through, OPTIONS)];
    await Promise.all([idle.connect(), busy.connect()]);
    await idle.query('select 1');
    const sleeping = busy.query('select pg_sleep(20)').catch(() => undefined);
    await eventually('two questions about the busy one', () => way.joined > 2);
    expect(proxy.joined).toBe(1);
    await Promise.all([idle.end(), busy.end(), sleeping]);
    await way.close();
  });
});
