import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RowStore } from '#read-model';
import { eventually } from '../kit/eventually.js';
import { simulated } from '../simulate/simulated.js';
import { append, expectedOf, Floor, inAnyOrder, linesOf, recordsOf, rowsOf } from './floor.js';

let floor: Floor;
beforeEach(async () => {
  floor = await Floor.open(2);
});
afterEach(async () => floor.close());

const tables = new Map(
  ['T1', 'T2', 'T3'].map((table) => [
    table,
    linesOf(
      simulated({
        rules: 'punto-banco@1',
        bets: true,
        seed: table,
        shoes: 1,
        table,
        faults: ['TC-05', 'PY-03'],
      }).lines,
    ).slice(0, 900),
  ]),
);

async function expectAll(): Promise<void> {
  for (const [table, lines] of tables)
    expect(inAnyOrder(await rowsOf(floor, table))).toEqual(inAnyOrder(expectedOf(lines)));
  const [counted] = await floor.query<{ events: number }>(
    'select sum(events)::int as events from rows.position',
  );
  expect(counted?.events).toBe([...tables.values()].reduce((sum, lines) => sum + lines.length, 0));
}

describe('the rows hold each event exactly once', () => {
  it('the rows hold each event once when the connections to the database are cut repeatedly', async () => {
    await floor.start({ leaseMs: 3_000 });
    for (let at = 0; at < 900; at += 60) {
      for (const [table, lines] of tables)
        await append(floor.log, table, recordsOf(table, lines.slice(at, at + 60), [1, 4]));
      await eventually('a connection that was cut', async () => {
        const [cut] = await floor.query<{ count: number }>(
          "select count(pg_terminate_backend(pid))::int as count from pg_stat_activity where datname = current_database() and application_name = 'shoeprint rows'",
        );
        return (cut?.count ?? 0) > 0;
      });
    }
    await floor.caughtUp();
    await expectAll();
  });

  it('the rows hold each event once when the outcome of a transaction is unknown, committed or not', async () => {
    let turn = 0;
    const rows = floor.store();
    // A store that loses, in turns, the request before the work or the answer after it.
    const shaky = new Proxy(rows, {
      get: (target, name) => {
        if (name !== 'write') {
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        }
        return async (...args: Parameters<RowStore['write']>) => {
          turn += 1;
          if (turn % 3 === 1) throw new Error('the connection broke before anything was sent');
          const written = await target.write(...args);
          if (turn % 3 === 2)
            throw new Error('the connection broke while the answer was on its way');
          return written;
        };
      },
    });
    await floor.start({ rows: shaky });
    for (let at = 0; at < 900; at += 150) {
      for (const [table, lines] of tables)
        await append(floor.log, table, recordsOf(table, lines.slice(at, at + 150), [1, 4]));
      await floor.caughtUp();
    }
    expect(turn).toBeGreaterThan(6);
    await expectAll();
  });

  it('the rows hold each event once when the log is out of reach for a while', async () => {
    await floor.start();
    for (const [table, lines] of tables)
      await append(floor.log, table, recordsOf(table, lines.slice(0, 450), [4]));
    floor.log.faults.unreachable = true;
    await expect(floor.log.head(0)).rejects.toThrow(/cannot be reached/);
    floor.log.faults.unreachable = false;
    for (const [table, lines] of tables)
      await append(floor.log, table, recordsOf(table, lines.slice(450), [4]));
    await floor.caughtUp();
    await expectAll();
  });
});

describe('an auditor that stops gracefully', () => {
  it('writes what it folded, saves snapshots, and leaves nothing to fold again or to wait for', async () => {
    const first = await floor.start();
    await eventually('both partitions', () => first.following.length === 2);
    for (const [table, lines] of tables)
      await append(floor.log, table, recordsOf(table, lines, [4]));
    await floor.caughtUp();
    await first.close();
    expect(await floor.query('select from rows.position where owner is not null')).toEqual([]);
    expect(await floor.query('select from rows.table_state where snapshot_next < changed')).toEqual(
      [],
    );
    const second = await floor.start({ leaseMs: 60_000 });
    await eventually('both partitions at once', () => second.following.length === 2);
    expect(await floor.query('select from rows.member')).toHaveLength(1);
    await expectAll();
  });
});
