import type pg from 'pg';
import * as ownership from './ownership.js';
import * as parking from './parked.js';
import type { PositionMove, RowBatch, ShoeTotals, UnjudgeableChange } from './batch.js';
import { channelOf } from '../database/schema.js';
import { savedTable, saving, tablesOf, type ListedTable, type SavedTable } from './snapshots.js';
import { arrayOf } from './arrays.js';
import {
  BET_TOTAL,
  COMMISSION,
  COUP,
  DEALT,
  DELIVERY,
  DEVICE,
  FINDING,
  HOUSE_EVENT,
  LEDGER,
  REVIEW_EVENT,
  SHOE,
  TABLE_STATE,
  UNJUDGEABLE,
  type ReleasedRow,
  type UnjudgeableRow,
} from '../entities/index.js';
import { mostWaiting, waiting, type WaitingFindings } from './waiting.js';
import { WriterPool, type RowStoreOptions } from './pool.js';
import {
  overwrite,
  lastOfEach,
  remove,
  replaceLines,
  touch,
  upsert,
  type Statement,
} from './statements.js';

/**
 * The result of a write: the partitions that another owner has taken. If there are any, nothing was
 * written.
 */
export interface Written {
  readonly fenced: readonly number[];
}

/** The limit of a hint. PostgreSQL limits the payload of NOTIFY to less than 8,000 bytes. */
const HINT_BYTES_MAX = 7_000;

/** A transaction that took longer than this renews its leases before it commits. */
const LONG_WRITE_MS = 500;

/**
 * Connections for leases alone, which must not wait for those that load and write. The second one
 * is for the next renewal while the first does not answer.
 */
const LEASE_CONNECTIONS = 2;

/** Writes the rows of a read model: owns partitions and stores what their fold projects. */
export class RowStore {
  private constructor(
    private readonly pool: WriterPool,
    private readonly leases: WriterPool,
  ) {}

  /** Opens a store on a schema that `migrate` created. It connects when it first needs to. */
  static open(url: string, { schema, poolSize, applicationName }: RowStoreOptions = {}): RowStore {
    return new RowStore(
      new WriterPool(url, schema, poolSize, applicationName),
      new WriterPool(url, schema, LEASE_CONNECTIONS, applicationName),
    );
  }

  get schema(): string {
    return this.pool.schema;
  }

  /**
   * Writes a batch in one transaction, which first moves the positions. If a position or generation
   * is not as expected, nothing is written and the result names the partition. Every row's
   * partition must be among the moves, with `from` = `next` if only rows change. Throws
   * `RowsNotWritten`, or `RowsOutcomeUnknown` if the connection broke during the commit; the
   * positions then show whether it succeeded.
   */
  write(batch: RowBatch): Promise<Written> {
    return this.writeAfter([], batch);
  }

  /**
   * Ends the parking of a table, in one transaction with the rows of the continued fold. These may
   * park it again at a later event.
   */
  unpark(table: string, batch: RowBatch): Promise<Written> {
    return this.writeAfter([parking.unparking(this.pool.sql, table)], batch);
  }

  private async writeAfter(first: readonly Statement[], batch: RowBatch): Promise<Written> {
    checkPartitions(batch);
    const moving = movingOf(this.pool, batch.moves);
    const statements = [...first, ...statementsOf(this.pool.sql, batch)];
    return this.pool.transaction(async (client) => {
      const began = performance.now();
      const { rows } = await client.query<{ partition: number }>(moving);
      const moved = new Set(rows.map(({ partition }) => partition));
      const fenced = batch.moves
        .map(({ partition }) => partition)
        .filter((partition) => !moved.has(partition));
      if (fenced.length > 0) return { commit: false, value: { fenced } };
      const answers = await sendAll(client, [
        ...statements,
        ...batch.snapshots.map((snapshot) => saving(this.pool.sql, snapshot)),
      ]);
      checkSaved(batch.snapshots, answers.slice(statements.length));
      if (performance.now() - began > LONG_WRITE_MS)
        await client.query(ownership.lengthening(this.pool.sql, [...moved]));
      return { commit: true, value: { fenced } };
    });
  }

  /** See `ownership.prepare`. */
  prepare(logId: string, partitions: number, foldVersion: number): Promise<void> {
    return ownership.prepare(this.pool, logId, partitions, foldVersion);
  }

  claim(owner: string, leaseMs: number, atMost: number): Promise<ownership.Claimed[]> {
    return ownership.claim(this.leases, owner, leaseMs, atMost);
  }

  renew(owner: string, leaseMs: number, held: readonly ownership.Held[]): Promise<number[]> {
    return ownership.renew(this.leases, owner, leaseMs, held);
  }

  release(owner: string, held: readonly ownership.Held[]): Promise<void> {
    return ownership.release(this.pool, owner, held);
  }

  heartbeat(owner: string, aliveMs: number): Promise<number> {
    return ownership.heartbeat(this.leases, owner, aliveMs);
  }

  leave(owner: string): Promise<void> {
    return ownership.leave(this.pool, owner);
  }

  positions(): Promise<ownership.PositionState[]> {
    return ownership.positions(this.pool);
  }

  stopPartition(held: ownership.Held, stop: ownership.Stop): Promise<boolean> {
    return ownership.stopPartition(this.pool, held, stop);
  }

  /** Resumes a stopped partition. Resolves to false if it was not stopped. */
  resumePartition(partition: number): Promise<boolean> {
    return this.changes(this.resuming(partition));
  }

  /** Returns the statement that resumes a partition, to run beside others in a transaction. */
  resuming(partition: number): Statement {
    return ownership.resuming(this.pool.sql, partition);
  }

  /**
   * Returns the statement that passes a record and resumes its partition, to run beside others in a
   * transaction.
   */
  passing(record: ownership.RecordToPass): Statement {
    return ownership.passing(this.pool.sql, record);
  }

  /** See `ownership.passed`. */
  passed(partition: number): Promise<ownership.PassedDigest[]> {
    return ownership.passed(this.pool, partition);
  }

  /** See `snapshots.tablesOf`. */
  tablesOf(partition: number): Promise<ListedTable[]> {
    return tablesOf(this.pool, partition);
  }

  /** See `snapshots.savedTable`. */
  savedTable(name: string): Promise<SavedTable | undefined> {
    return savedTable(this.pool, name);
  }

  parked(): Promise<parking.ParkedTable[]> {
    return parking.parked(this.pool);
  }

  asked(partitions: readonly number[]): Promise<parking.ParkedTable[]> {
    return parking.asked(this.pool, partitions);
  }

  /** See `waiting.waiting`. */
  waiting(partitions: readonly number[]): Promise<WaitingFindings[]> {
    return waiting(this.pool, partitions);
  }

  /** See `waiting.mostWaiting`. */
  mostWaiting(partitions: readonly number[]): Promise<number> {
    return mostWaiting(this.pool, partitions);
  }

  /** Requests a decision about a parked table. Resolves to false if it is not parked. */
  askParked(table: string, what: parking.ParkedAsk, by: string): Promise<boolean> {
    return this.changes(this.askingParked(table, what, by));
  }

  /** Returns the statement that requests it, to run beside others in a transaction. */
  askingParked(table: string, what: parking.ParkedAsk, by: string): Statement {
    return parking.askingParked(this.pool.sql, table, what, by);
  }

  released(partition: number): Promise<ReleasedRow[]> {
    return parking.released(this.pool, partition);
  }

  private async changes({ name, text, values }: Statement): Promise<boolean> {
    return (await this.pool.query(name, text, values)).length > 0;
  }

  /** Closes the connections once their current work is done. */
  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.leases.close()]);
  }
}

/**
 * Throws if the batch has a row of a partition that it does not move, because that row would not be
 * fenced. Totals name no partition.
 */
function checkPartitions({ moves, totals: _, ...lists }: RowBatch): void {
  const moving = new Set(moves.map(({ partition }) => partition));
  if (moving.size === 0) throw new Error('a batch must move at least one partition');
  if (moving.size !== moves.length) throw new Error('a batch must not move a partition twice');
  for (const { from, next } of moves)
    if (next < from) throw new Error(`a position must not move back from ${from} to ${next}`);
  for (const list of Object.values(lists))
    for (const { partition } of list)
      if (!moving.has(partition))
        throw new Error(
          `the batch has a row of partition ${partition} but does not move that partition`,
        );
}

function movingOf({ sql, schema }: WriterPool, moves: readonly PositionMove[]): Statement {
  const hint = moves.map(({ partition, next }) => `${partition}:${next}`).join(',');
  const numbers = (value: (move: PositionMove) => number): string =>
    arrayOf('bigint', moves.map(value));
  return {
    name: 'move',
    text: ownership.movingSql(sql),
    values: [
      numbers(({ partition }) => partition),
      numbers(({ generation }) => generation),
      numbers(({ from }) => from),
      numbers(({ next }) => next),
      moves.map(({ lastDigest }) => Buffer.from(lastDigest)),
      numbers(({ events }) => events),
      channelOf(schema),
      hint.length > HINT_BYTES_MAX ? '' : hint,
    ],
  };
}

/** The columns that say where the review of a finding stands, and what it rests on. */
const BASIS = ['people', 'lines'] as const;
const REVIEW = FINDING.following
  .filter(
    ({ field, written }) => written === 'amended' && !(BASIS as readonly string[]).includes(field),
  )
  .map(({ field }) => field);

function statementsOf(schema: string, batch: RowBatch): Statement[] {
  const unjudgeable = lastOfEach<UnjudgeableRow, UnjudgeableChange>(
    UNJUDGEABLE.key,
    batch.unjudgeable,
  );
  const { lines, whole } = linesOf(batch.totals);
  const statements = [
    upsert(schema, TABLE_STATE, batch.tables),
    upsert(schema, SHOE, batch.shoes),
    upsert(schema, COUP, batch.coups),
    upsert(schema, FINDING, batch.findings),
    ...countedIn(schema, batch.findings),
    overwrite(schema, FINDING, REVIEW, batch.reviews),
    overwrite(schema, FINDING, BASIS, batch.bases),
    upsert(schema, REVIEW_EVENT, batch.reviewEvents),
    remove(
      schema,
      UNJUDGEABLE,
      unjudgeable.filter(({ body }) => body === null),
    ),
    upsert(
      schema,
      UNJUDGEABLE,
      unjudgeable.filter((row): row is UnjudgeableRow => row.body !== null),
    ),
    upsert(schema, DEVICE, batch.devices),
    upsert(schema, HOUSE_EVENT, batch.houseEvents),
    upsert(schema, DELIVERY, batch.deliveries),
    parking.parking(schema, batch.parked),
    ...replaceLines(
      schema,
      LEDGER,
      linesIn(lines, ({ ledger }) => ledger),
      whole,
    ),
    ...replaceLines(
      schema,
      COMMISSION,
      linesIn(lines, ({ commission }) => commission),
      whole,
    ),
    ...replaceLines(
      schema,
      DEALT,
      linesIn(lines, ({ dealt }) => dealt),
      whole,
    ),
    ...replaceLines(
      schema,
      BET_TOTAL,
      linesIn(lines, ({ bets }) => bets),
      whole,
    ),
  ];
  return statements.filter((statement) => statement !== undefined);
}

/**
 * Returns the statements by which findings change what they are counted in: their coups and shoes,
 * whose rows may not be written with them.
 */
const countedIn = (schema: string, findings: RowBatch['findings']): (Statement | undefined)[] => [
  touch(
    schema,
    COUP,
    findings.flatMap(({ coupRef: ref, table, changed }) =>
      ref === null ? [] : { ref, table, changed },
    ),
  ),
  touch(
    schema,
    SHOE,
    findings.flatMap(({ shoeRef: ref, table, changed }) =>
      ref === null ? [] : { ref, table, changed },
    ),
  ),
];

/** Returns one list of the totals' lines, each as a row of its table. */
const linesIn = <Line extends object>(
  totals: readonly ShoeTotals[],
  list: (of: ShoeTotals) => readonly Line[],
) =>
  totals.flatMap((of) => {
    const { shoeRef, table, shoe, currency } = of;
    return list(of).map((line) => ({ shoeRef, table, shoe, currency, ...line }));
  });

/**
 * Returns the totals in order, without those that a later total of the same shoe replaces, and the
 * shoes that are replaced as a whole.
 */
function linesOf(totals: RowBatch['totals']): {
  readonly lines: readonly ShoeTotals[];
  readonly whole: readonly ShoeTotals[];
} {
  const ofShoes = new Map<string, ShoeTotals[]>();
  for (const total of totals) {
    const shoe = `${total.table}\0${total.shoeRef}`;
    const before = ofShoes.get(shoe);
    if (before && !total.whole) before.push(total);
    else ofShoes.set(shoe, [total]);
  }
  return {
    lines: [...ofShoes.values()].flat(),
    whole: [...ofShoes.values()].flatMap(([first]) => (first?.whole ? [first] : [])),
  };
}

/**
 * Sends all statements before the first answer, so that a transaction takes a few round trips and
 * not one per statement. They run in this order. After the first that fails, PostgreSQL runs no
 * more of them. Its error is thrown once all have been answered.
 */
async function sendAll(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<pg.QueryResult[]> {
  const answers = await Promise.allSettled(statements.map((statement) => client.query(statement)));
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });
}

function checkSaved(snapshots: RowBatch['snapshots'], answers: readonly pg.QueryResult[]): void {
  for (const [i, { table }] of snapshots.entries())
    if (answers[i]?.rowCount !== 1)
      throw new Error(`cannot save a snapshot: table ${table} has no row`);
}
