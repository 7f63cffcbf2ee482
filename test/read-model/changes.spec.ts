import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BadPositions,
  changesSince,
  coups,
  findings,
  positionsFrom,
  hasReached,
  positionsNow,
  positionsText,
  readSnapshot,
  type ChangesPage,
} from '#read-model';
import { Client } from 'pg';
import fc from 'fast-check';
import { eventually } from '../kit/eventually.js';
import {
  aCoup,
  aFinding,
  aShoe,
  aTable,
  openFloor,
  PARTITIONS,
  type Floor,
  type Rows,
} from './floor.js';

let floor: Floor;
beforeAll(async () => {
  floor = await openFloor();
});
afterAll(() => floor.close());

const at = async (): Promise<string> =>
  (await readSnapshot(floor.source, async () => undefined)).positions;
const since = (positions: string, limit = 100, scope?: string[]): Promise<ChangesPage> =>
  floor.read((read) =>
    changesSince(read, positionsFrom(positions), { limit, ...(scope ? { scope } : undefined) }),
  );
const named = ({ changes }: ChangesPage): string[] =>
  changes.map((change) =>
    change.is === 'shoe'
      ? `shoe ${change.shoe.ref}`
      : change.is === 'coup'
        ? `coup ${change.coup.ref}`
        : change.is === 'finding'
          ? `finding ${change.finding.id}`
          : `table ${change.table.table}`,
  );

describe('positions', () => {
  it('are parsed as they are formatted for headers', () => {
    const positions = fc
      .dictionary(fc.nat(9_999).map(String), fc.maxSafeNat(), { minKeys: 1, maxKeys: 20 })
      .map(
        (all) => new Map(Object.entries(all).map(([partition, next]) => [Number(partition), next])),
      );
    fc.assert(
      fc.property(positions, (all) =>
        expect(new Map(positionsFrom(positionsText(all)))).toEqual(all),
      ),
    );
  });

  it('are rejected if they are malformed', () => {
    for (const bad of [
      '',
      ',',
      '0',
      '0:',
      ':1',
      '0:1,',
      '0:1,0:2',
      '0:-1',
      '0:1.5',
      '-1:0',
      'a:b',
      '0:99999999999999999',
      '0:9007199254740993',
      '0:1;1:2',
    ])
      expect(() => positionsFrom(bad)).toThrow(BadPositions);
  });

  it('are reached once all named partitions are', async () => {
    const before = await at();
    await floor.write({ tables: [aTable({ table: 'p', partition: 1 })] });
    const after = positionsFrom(await at());
    const reached = await positionsNow(floor.source);
    expect(hasReached(reached, positionsFrom(before))).toBe(true);
    expect(hasReached(reached, after)).toBe(true);
    expect(hasReached(reached, new Map([[1, (after.get(1) as number) + 1]]))).toBe(false);
    expect(
      hasReached(
        reached,
        new Map([
          [0, 0],
          [PARTITIONS, 1],
        ]),
      ),
    ).toBe(false);
  });
});

describe('a snapshot', () => {
  it('shows one moment: it has no row that is written while it is read', async () => {
    const before = await at();
    const { positions, result } = await readSnapshot(floor.source, async (read) => {
      const first = await coups(read, { table: 'one moment' }, {});
      await floor.write({
        coups: [aCoup({ ref: 'm#1', shoeRef: 'm#0', table: 'one moment' })],
        findings: [
          aFinding({ finding: { id: 'm', code: 'TC-05', table: 'one moment' }, coupRef: 'm#1' }),
        ],
      });
      return [
        first.lines,
        (await coups(read, { table: 'one moment' }, {})).lines,
        (await findings(read, { table: 'one moment' }, {})).lines,
      ];
    });
    expect(result).toEqual([[], [], []]);
    expect(positions).toBe(before);
    expect(
      (await floor.read((read) => coups(read, { table: 'one moment' }, {}))).lines,
    ).toHaveLength(1);
  });

  it('cannot write, and always returns its connection to the pool', async () => {
    for (let i = 0; i < 10; i += 1)
      await expect(floor.read((read) => read.rows('delete from coup'))).rejects.toThrow(
        'read-only',
      );
    expect(await floor.read((read) => read.rows<{ one: number }>('select 1 as one'))).toEqual([
      { one: 1 },
    ]);
  });

  it('delays a swap of the rows until it is read', async () => {
    const other = new Client(floor.url);
    await other.connect();
    const order: string[] = [];
    let swap: Promise<unknown> = Promise.resolve();
    await floor.read(async (read) => {
      swap = other
        .query('begin; lock table rows.position in access exclusive mode; commit')
        .then(() => order.push('swapped'));
      await eventually(
        'the swap waits',
        async () =>
          (
            await floor.source.query<{ n: number }[]>(
              `select count(*) as n from pg_locks where not granted and relation = 'rows.position'::regclass`,
            )
          )[0]?.n,
      );
      await read.rows('select * from coup limit 1');
      order.push('read');
    });
    await swap;
    await other.end();
    expect(order).toEqual(['read', 'swapped']);
  });
});

describe('a snapshot that waits for a swap', () => {
  it('shows the moment after it', async () => {
    const before = positionsFrom(await at());
    const other = new Client(floor.url);
    await other.connect();
    await other.query(
      'begin; lock table rows.position in access exclusive mode; update rows.position set next = next + 1 where partition = 0',
    );
    const reading = at();
    const waiting = `select count(*) as n from pg_locks where not granted and relation = 'rows.position'::regclass`;
    await eventually(
      'the reading waits',
      async () => (await floor.source.query<{ n: number }[]>(waiting))[0]?.n,
    );
    await other.query('commit');
    expect(positionsFrom(await reading).get(0)).toBe((before.get(0) as number) + 1);
    await other.query('update rows.position set next = next - 1 where partition = 0');
    await other.end();
  });
});

describe('the changes', () => {
  it('since a position are all rows of later records, in the order of the partition, without open coups', async () => {
    const start = await at();
    await floor.write({
      shoes: [aShoe({ ref: 'w#0', table: 'w', partition: 2 })],
      tables: [aTable({ table: 'w', partition: 2 })],
      coups: [aCoup({ ref: 'w#1', shoeRef: 'w#0', table: 'w', partition: 2, state: 'open' })],
    });
    await floor.write({
      coups: [aCoup({ ref: 'w#1', shoeRef: 'w#0', table: 'w', partition: 2 })],
      findings: [
        aFinding({ finding: { id: 'w', code: 'TC-05', table: 'w' }, coupRef: 'w#1', partition: 2 }),
      ],
    });
    const told = await since(start);
    expect(named(told)).toEqual(['shoe w#0', 'table w', 'coup w#1', 'finding w']);
    expect(told.positions).toBe(await at());
    expect(told.more).toBe(false);
    expect(told.changes.find((change) => change.is === 'coup')).toMatchObject({
      coup: { findings: 1, worst: 1 },
    });
    expect(named(await since(told.positions))).toEqual([]);
  });

  it('are hidden from an identity that may not see their table, and the position still advances', async () => {
    const start = await at();
    await floor.write({
      tables: [aTable({ table: 'seen', partition: 3 }), aTable({ table: 'unseen', partition: 3 })],
    });
    const told = await since(start, 100, ['seen']);
    expect(named(told)).toEqual(['table seen']);
    expect(told.positions).toBe(await at());
  });

  it('include a finding again once it is withdrawn', async () => {
    const start = await at();
    const finding = aFinding({ finding: { id: 'again', code: 'TC-05', table: 'w' } });
    await floor.write({ findings: [finding] });
    const middle = await since(start);
    await floor.write({ findings: [{ ...finding, withdrawnBecause: 'x#1' }] });
    expect((await since(middle.positions)).changes).toMatchObject([
      { is: 'finding', finding: { id: 'again', status: 'withdrawn' } },
    ]);
    expect(named(await since(start))).toEqual(['finding again']);
  });

  it('are complete for a follower with any limit and any interleaving of writes', async () => {
    const one = fc.record({
      kind: fc.constantFrom('shoe', 'coup', 'finding', 'table'),
      partition: fc.nat(PARTITIONS - 1),
      id: fc.nat(30),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(one, { minLength: 1, maxLength: 12 }), fc.boolean()), {
          maxLength: 8,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (batches, limit) => {
          run += 1;
          const table = `follow ${run}`;
          let position = await at();
          const seen = new Map<string, number>();
          const written = new Map<string, number>();
          const follow = async (): Promise<boolean> => {
            const told = await since(position, limit);
            position = told.positions;
            for (const [i, name] of named(told).entries())
              seen.set(name, told.changes[i]?.changed as number);
            return told.more;
          };
          for (const [things, look] of batches) {
            const rows = { shoes: [], coups: [], findings: [], tables: [] } as {
              [K in 'shoes' | 'coups' | 'findings' | 'tables']: NonNullable<Rows[K]>[number][];
            };
            const told = new Set<string>();
            for (const { kind, partition, id } of things) {
              const ref = `${table}/${partition}/${id}`;
              if (told.has(`${kind} ${ref}`)) continue;
              told.add(`${kind} ${ref}`);
              if (kind === 'shoe') rows.shoes.push(aShoe({ ref, table, partition }));
              else if (kind === 'coup')
                rows.coups.push(aCoup({ ref, shoeRef: 'x', table, partition }));
              else if (kind === 'finding')
                rows.findings.push(
                  aFinding({ finding: { id: ref, code: 'TC-05', table }, partition }),
                );
              else rows.tables.push(aTable({ table: ref, partition }));
            }
            await floor.write(rows);
            const reached = positionsFrom(await at());
            for (const name of told)
              written.set(name, reached.get(Number(name.split('/')[1])) as number);
            if (look) await follow();
          }
          while (await follow());
          expect([...seen].sort()).toEqual([...written].sort());
        },
      ),
      { numRuns: 15 },
    );
  });
});
