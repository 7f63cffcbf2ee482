import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { RowsNotWritten } from '#read-model';
import { WriterPool } from '../../libs/read-model/src/writing/pool.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await asked('create table rows (value text)');
});
afterEach(() => database.drop());

async function asked(sql: string): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** Returns the error of a transaction that runs `work`. */
async function failureOf(work: (client: pg.ClientBase) => Promise<unknown>): Promise<unknown> {
  const pool = new WriterPool(database.url);
  const failure = await pool
    .transaction(async (client) => ({ commit: true, value: await work(client) }))
    .catch((error: unknown) => error);
  await pool.close();
  return failure;
}

describe('a rejected write of rows', () => {
  it('may be retried if the database is read-only, as a standby is', async () => {
    await asked(
      `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = on`,
    );
    const failure = await failureOf((client) => client.query("insert into rows values ('x')"));
    expect(failure).toBeInstanceOf(RowsNotWritten);
    expect(failure).toMatchObject({ retryable: true, cause: { code: '25006' } });
  });

  it('may be retried if the database ended the session of a process that slept in its transaction', async () => {
    const failure = await failureOf(async (client) => {
      await client.query("set local idle_in_transaction_session_timeout = '50ms'");
      // Blocks this whole process, like SIGSTOP.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      return client.query("insert into rows values ('x')");
    });
    expect(failure).toBeInstanceOf(RowsNotWritten);
    expect(failure).toMatchObject({ retryable: true, cause: { code: '25P03' } });
  });

  it('must not be retried if the statement is wrong, which is a bug', async () => {
    expect(
      await failureOf((client) => client.query('insert into nowhere values (1)')),
    ).toMatchObject({ retryable: false, cause: { code: '42P01' } });
  });
});
