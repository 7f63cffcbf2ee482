import { createHash } from 'node:crypto';
import type { Finding, FindingCode } from '#audit';
import { CATALOGUE } from '#audit';
import { findingColumns, migrate, readModelDataSource, RowStore } from '#read-model';
import type {
  CoupRow,
  DeviceRow,
  FindingAsFolded,
  ReviewEventRow,
  ReviewOfFinding,
  RowBatch,
  ShoeRow,
  ShoeTotals,
  Snapshot,
  TableAsFolded,
} from '#read-model';
import { readSnapshot } from '#read-model';
import type { DataSource } from 'typeorm';
import { createDatabase } from '../kit/database.js';

export const PARTITIONS = 4;
export type Rows = Partial<Omit<RowBatch, 'moves'>>;

/** A read model in its own database, written through the writer as the auditor does. */
export interface Floor {
  readonly url: string;
  readonly source: DataSource;
  /**
   * Writes rows in one transaction. Each partition with rows moves by one record, and its rows get
   * the new position as `changed`.
   */
  write(rows: Rows): Promise<void>;
  read<Result>(work: (read: Snapshot) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export async function openFloor(): Promise<Floor> {
  const database = await createDatabase();
  await migrate(database.url);
  const store = RowStore.open(database.url, { poolSize: 2 });
  await store.prepare('a log', PARTITIONS, 1);
  const claimed = await store.claim('a test', 600_000, PARTITIONS);
  const source = await readModelDataSource(database.url, { poolSize: 4 }).initialize();
  const next = new Map(claimed.map(({ partition }) => [partition, 0]));
  return {
    url: database.url,
    source,
    async write(rows) {
      const batch: Omit<RowBatch, 'moves'> = {
        tables: [],
        shoes: [],
        coups: [],
        findings: [],
        reviews: [],
        bases: [],
        reviewEvents: [],
        unjudgeable: [],
        totals: [],
        devices: [],
        houseEvents: [],
        deliveries: [],
        snapshots: [],
        parked: [],
        ...rows,
      };
      const { tables, shoes, coups, findings, unjudgeable, devices, parked } = batch;
      const { reviews, bases, reviewEvents } = batch;
      const partitions = [
        ...new Set(
          [tables, shoes, coups, findings, unjudgeable, devices, parked]
            .concat([reviews, bases, reviewEvents] as never)
            .flat()
            .map(({ partition }) => partition),
        ),
      ];
      const moves = (partitions.length > 0 ? partitions : [0]).map((partition) => {
        const from = next.get(partition) as number;
        return {
          partition,
          generation: claimed.find((one) => one.partition === partition)?.generation as number,
          from,
          next: from + 1,
          lastDigest: createHash('sha256').digest(),
          events: 1,
        };
      });
      const changed = <Row extends { readonly partition: number }>(all: readonly Row[]): Row[] =>
        all.map((row) => ({ ...row, changed: (next.get(row.partition) as number) + 1 }));
      const { fenced } = await store.write({
        ...batch,
        moves,
        tables: changed(tables),
        shoes: changed(shoes),
        coups: changed(coups),
        findings: changed(findings),
        reviews: changed(reviews),
        bases: changed(bases),
        reviewEvents: changed(reviewEvents),
        unjudgeable: changed(unjudgeable),
        devices: changed(devices),
      });
      if (fenced.length > 0) throw new Error(`fenced out of ${fenced.join(', ')}`);
      for (const move of moves) next.set(move.partition, move.next);
    },
    read: async (work) => (await readSnapshot(source, work)).result,
    async close() {
      await source.destroy();
      await store.close();
      await database.drop();
    },
  };
}

/** Returns what PostgreSQL does for the queries of a read, as it explains it after it did it. */
export const planOf = (floor: Floor, work: (read: Snapshot) => Promise<unknown>): Promise<string> =>
  floor.read(async (read) => {
    const lines: string[] = [];
    const rows = async <Row>(
      ...[sql, parameters]: Parameters<Snapshot['rows']>
    ): Promise<Row[]> => {
      const plan = await read.rows<Readonly<Record<string, string>>>(
        `explain (analyze, costs off, timing off, summary off) ${sql}`,
        parameters,
      );
      lines.push(...plan.flatMap((line) => Object.values(line)));
      return [];
    };
    await work({ ...read, rows });
    return lines.join('\n');
  });

const where = { partition: 0, changed: 0 };

export const aTable = (
  row: Partial<TableAsFolded> & { readonly table: string },
): TableAsFolded => ({
  ...where,
  name: row.table,
  shoeRef: null,
  dealer: null,
  lastEventTime: '2026-11-20T12:00:00.000Z',
  lastReceived: null,
  read: 0,
  admitted: 0,
  duplicates: 0,
  equivocal: 0,
  late: 0,
  stray: 0,
  ...row,
});

export const aShoe = (
  row: Partial<ShoeRow> & { readonly ref: string; readonly table: string },
): ShoeRow => ({
  ...where,
  shoe: `shoe of ${row.ref}`,
  rules: 'punto-banco@1',
  decks: 8,
  kind: 'physical',
  currency: 'MOP',
  coups: 0,
  cards: 0,
  unread: 0,
  leftByRank: null,
  burn: null,
  cutCard: null,
  closed: false,
  closeReason: null,
  remaining: null,
  openedAt: '2026-11-20T12:00:00.000Z',
  closedAt: null,
  gamingDay: '2026-11-20',
  openedOffset: 0,
  openedLine: 0,
  ...row,
});

export const aCoup = (
  row: Partial<CoupRow> & {
    readonly ref: string;
    readonly shoeRef: string;
    readonly table: string;
  },
): CoupRow => ({
  ...where,
  shoe: `shoe of ${row.shoeRef}`,
  coup: 1,
  kind: 'normal',
  state: 'over',
  outcome: null,
  dealer: null,
  openedAt: '2026-11-20T12:01:00.000Z',
  endedAt: '2026-11-20T12:02:00.000Z',
  gamingDay: '2026-11-20',
  detail: { callers: [], cards: [], bettingClosed: null, declared: [], bets: [], commission: [] },
  ...row,
});

export function aFinding({
  finding: found,
  ...row
}: Partial<FindingAsFolded> & {
  readonly finding: Partial<Finding> & {
    readonly id: string;
    readonly code: FindingCode;
    readonly table: string;
  };
}): FindingAsFolded {
  const finding: Finding = {
    severity: CATALOGUE[found.code].severity,
    shoe: 'a shoe',
    rules: 'punto-banco@1',
    events: ['device/shoe#1'],
    expected: 'this',
    observed: 'that',
    void: false,
    remedied: false,
    message: 'It was wrong.',
    ...found,
  };
  return {
    ...where,
    shoeRef: null,
    coupRef: null,
    dealer: null,
    at: '2026-11-20T12:01:00.000Z',
    gamingDay: '2026-11-20',
    raisedAt: null,
    withdrawnBecause: null,
    ...findingColumns(finding),
    ...row,
  };
}

export const aReview = (
  row: Partial<ReviewOfFinding> & { readonly id: string },
): ReviewOfFinding => ({
  ...where,
  review: 'open',
  claimedBy: null,
  claimedUntil: null,
  proposal: null,
  proposedBy: null,
  disposition: null,
  policy: null,
  ruling: null,
  signedBy: null,
  ruledAt: null,
  counts: true,
  escalated: null,
  stale: false,
  regressed: false,
  touched: false,
  lapsed: false,
  evidence: null,
  ...row,
});

export const anAct = (
  row: Partial<ReviewEventRow> & { readonly finding: string; readonly table: string },
): ReviewEventRow => ({
  ...where,
  ref: `person/${row.by ?? 'ines'}#${row.finding}/${row.offset ?? 0}`,
  type: 'finding-commented',
  by: 'ines',
  as: 'pit-boss',
  at: '2026-11-20T13:00:00.000Z',
  data: { finding: row.finding, as: 'pit-boss', text: 'I see.' },
  outcome: 'taken',
  heldUntil: null,
  offset: 0,
  line: 0,
  ...row,
});

export const aDevice = (
  row: Partial<DeviceRow> & { readonly table: string; readonly source: string },
): DeviceRow => ({
  ...where,
  events: 0,
  session: null,
  lastSequence: null,
  lastTime: '2026-11-20T12:00:00.000Z',
  lastReceived: null,
  clockOffsetLast: null,
  clockOffsetLeast: null,
  clockOffsetMost: null,
  online: null,
  ...row,
});

export const someTotals = (
  row: Partial<ShoeTotals> & { readonly shoeRef: string; readonly table: string },
): ShoeTotals => ({
  whole: true,
  shoe: `shoe of ${row.shoeRef}`,
  currency: 'MOP',
  ledger: [],
  commission: [],
  dealt: [],
  bets: [],
  ...row,
});

/** Returns all lines of a list, read in pages of `limit`. */
export async function allPages<Line>(
  limit: number,
  page: (paging: {
    cursor?: string;
    limit: number;
  }) => Promise<{ readonly lines: readonly Line[]; readonly next: string | null }>,
): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const got = await page({ limit, ...(cursor === undefined ? undefined : { cursor }) });
    lines.push(...got.lines);
    cursor = got.next;
  }
  return lines;
}
