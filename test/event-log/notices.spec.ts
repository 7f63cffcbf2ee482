import { expect, it } from '@jest/globals';
import pg from 'pg';
import { openLog } from '#event-log';
import { createDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';

it('a log in PostgreSQL reports a lost idle connection and continues', async () => {
  const database = await createDatabase();
  const notices: string[] = [];
  const log = await openLog({ kind: 'postgres', url: database.url, partitions: 1 }, (text) =>
    notices.push(text),
  );
  const record = { key: 'B07', value: Buffer.from('line') };
  await log.append({ partition: 0, records: [record], urgency: 'live' });
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await other.end();
  await eventually('the notice', () =>
    notices.some((text) => /an idle connection to the log was lost/.test(text)),
  );
  await eventually('an append after it', () =>
    log.append({ partition: 0, records: [record], urgency: 'live' }).then(() => true),
  );
  await log.close();
  await database.drop();
});

it('a log in PostgreSQL reports no lost connection while it closes', async () => {
  const database = await createDatabase();
  const other = new pg.Client(database.url);
  await other.connect();
  const notices: string[] = [];
  for (let time = 0; time < 20; time++) {
    const log = await openLog({ kind: 'postgres', url: database.url, partitions: 1 }, (text) =>
      notices.push(text),
    );
    await log.append({
      partition: 0,
      records: [{ key: 'B07', value: Buffer.from('line') }],
      urgency: 'live',
    });
    await Promise.all([
      other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
      log.close(),
    ]);
  }
  await other.end();
  expect(notices).toEqual([]);
  await database.drop();
});
