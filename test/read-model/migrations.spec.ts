import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, readModelDataSource, RowStore } from '#read-model';
import { eventually } from '../kit/eventually.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';

let database: TestDatabase;
beforeAll(async () => void (database = await createDatabase()));
afterAll(() => database.drop());

async function asked<T extends pg.QueryResultRow>(sql: string): Promise<T[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  return (await client.query<T>(sql).finally(() => client.end())).rows;
}

describe('the tables of the read model', () => {
  it.each(['rows', 'rows_next'])(
    'are created by the migrations as the entities describe them, in the schema %s',
    async (schema) => {
      await migrate(database.url, schema);
      const source = await readModelDataSource(database.url, { schema, poolSize: 2 }).initialize();
      try {
        const { upQueries } = await source.driver.createSchemaBuilder().log();
        expect(upQueries.map(({ query }) => query)).toEqual([]);
        expect(await source.showMigrations()).toBe(false);
      } finally {
        await source.destroy();
      }
    },
  );

  it('are created once if several processes migrate together', async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrate(database.url, 'together')));
    expect(
      await asked(
        'select max(times)::int as times from (select count(*) as times from together.migration group by name) each',
      ),
    ).toEqual([{ times: 1 }]);
  });

  it('are dropped when the migrations are undone', async () => {
    await migrate(database.url, 'taken_back');
    const source = await readModelDataSource(database.url, {
      schema: 'taken_back',
      poolSize: 2,
    }).initialize();
    try {
      for (const _ of source.migrations) await source.undoLastMigration();
    } finally {
      await source.destroy();
    }
    expect(await asked(`select tablename from pg_tables where schemaname = 'taken_back'`)).toEqual([
      { tablename: 'migration' },
    ]);
  });

  /** Migrates a schema to what it was before a migration. */
  async function before(schema: string, migration: string): Promise<void> {
    await migrate(database.url, schema);
    const source = await readModelDataSource(database.url, { schema }).initialize();
    const later = source.migrations.slice(
      source.migrations.findIndex(({ name }) => name === migration),
    );
    try {
      for (const _ of later) await source.undoLastMigration();
    } finally {
      await source.destroy();
    }
  }

  it('keep shoes that were stored before the column for cards left, of which none are known', async () => {
    await before('uncounted', 'ShoeLeft1789500000000');
    await asked(
      `insert into uncounted.shoe (ref, "table", shoe, rules, decks, kind, currency,
         coups, cards, unread, closed, opened_at, gaming_day,
         opened_offset, opened_line, partition, changed)
       values ('s#0', 'B07', 'S1', 'punto-banco@1', 8, 'physical', 'MOP', 0, 0, 0, false, now(), now(), 0, 0, 0, 1)`,
    );
    const columns = `select count(*)::int as columns from information_schema.columns where table_schema = 'uncounted' and column_name = 'left_by_rank'`;
    expect(await asked(columns)).toEqual([{ columns: 0 }]);
    await migrate(database.url, 'uncounted');
    expect(await asked('select ref, left_by_rank from uncounted.shoe')).toEqual([
      { ref: 's#0', left_by_rank: null },
    ]);
  });

  it('keep shoes and acts that were stored before the burn and held video were', async () => {
    await before('unheld', 'VideoHeld1790000000020');
    await asked(
      `insert into unheld.shoe (ref, "table", shoe, rules, decks, kind, currency,
         coups, cards, unread, closed, opened_at, gaming_day,
         opened_offset, opened_line, partition, changed)
       values ('s#0', 'B07', 'S1', 'punto-banco@1', 8, 'physical', 'MOP', 0, 0, 0, false, now(), now(), 0, 0, 0, 1)`,
    );
    await asked(
      `insert into unheld.review_event (ref, "table", finding, type, "by", "as", "at", data,
         outcome, "offset", line, partition, changed)
       values ('person/p#1', 'B07', 'f', 'finding-video-held', 'p', 'surveillance', now(), '{}', 'taken', 0, 0, 0, 1)`,
    );
    await migrate(database.url, 'unheld');
    expect(await asked('select burn, cut_card from unheld.shoe')).toEqual([
      { burn: null, cut_card: null },
    ]);
    expect(await asked('select held_until from unheld.review_event')).toEqual([
      { held_until: null },
    ]);
  });

  it('are changed without keeping readers waiting behind a session that uses them', async () => {
    await before('busy', 'ShoeBurn1790000000030');
    const using = new pg.Client(database.url);
    await using.connect();
    await using.query('begin; lock table busy.shoe in access share mode');
    const migrated = migrate(database.url, 'busy');
    await eventually('the migration to wait for the table', async () => {
      const waiting = await asked(
        `select from pg_locks where relation = 'busy.shoe'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    expect(await asked('select count(*)::int as shoes from busy.shoe')).toEqual([{ shoes: 0 }]);
    await using.query('commit');
    await using.end();
    await migrated;
    expect(await asked('select burn from busy.shoe')).toEqual([]);
  });

  it('keep findings that were stored before the column for their first raising', async () => {
    await before('before', 'FindingRaisedAt1785100000000');
    await asked(
      `insert into before.finding
         (id, code, severity, "table", shoe, rules, "void", remedied, at,
          gaming_day, body, partition, changed)
       values ('f', 'PY-03', 2, 'B07', 'S1', 'punto-banco@1', false, false, now(), now(), '{}', 0, 1)`,
    );
    await migrate(database.url, 'before');
    expect(await asked('select id, raised_at from before.finding')).toEqual([
      { id: 'f', raised_at: null },
    ]);
  });

  it('keep a partition stopped that was stopped before stops had a line, as if its log were at fault', async () => {
    await before('halted', 'PassedRecord1790000000040');
    await asked(
      `insert into halted.position (partition, log_id, next, fold_version, generation, events,
         stopped_reason, stopped_offset, stopped_at)
       values (0, 'x', 12, 1, 2, 90, 'line 0 cannot be read', 12, now())`,
    );
    await migrate(database.url, 'halted');
    const rows = RowStore.open(database.url, { schema: 'halted' });
    const [position] = await rows.positions().finally(() => rows.close());
    expect(position?.stopped).toMatchObject({ offset: 12, line: null });
  });

  it('reject a schema name that contains SQL', async () => {
    await expect(migrate(database.url, 'rows"; drop schema public; --')).rejects.toThrow(
      /is not a schema name/,
    );
  });
});
