import pg from 'pg';
import { SILENT, type Journal } from '#server';
import {
  stamped,
  canonicalLine,
  fold,
  newTable,
  rowsOf as rowsOfChanges,
  takeFinalChanges,
  takeChanges,
  type AnyEvent,
  type Finding,
  type Line,
  type ShoeRows,
  type Unjudgeable,
} from '#audit';
import { MemoryLog, partitionOf, type EventLog } from '#event-log';
import { gamingDays, migrate, RowStore } from '#read-model';
import { judgingBy, type Judging } from '../../apps/auditor/src/fold/table-run.js';
import { Auditor } from '../../apps/auditor/src/own/auditor.js';
import { AuditorMetrics } from '../../apps/auditor/src/own/monitoring/auditor-metrics.js';
import { decoded, Standing, type Sent } from '../kit/audit.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';

export const DAYS = [{ from: '2026-01-01', zone: 'Asia/Macau', cutover: '06:00' }];
const dayOf = gamingDays(DAYS);

/** Returns canonical lines of events, as the api appends them, all received at `received`. */
export const linesOf = (
  events: readonly (Sent | string)[],
  received = '2026-11-20T12:00:00.000Z',
): string[] =>
  events.map((event) =>
    stamped(
      canonicalLine(typeof event === 'string' ? event : JSON.stringify(event)),
      'device/test',
      received,
    ),
  );

/** Returns an event that the auditor folds as an object. */
export function eventOf(event: AnyEvent | Line): AnyEvent {
  if (!('decoder' in event)) return event;
  const decoded = event.decoder.decode(event.block, event.from, event.to).event;
  if (!decoded) throw new Error('the auditor folded a line that cannot be decoded');
  return decoded;
}

/** Cuts a table's lines into records. Their lengths cycle through `cuts`. */
export function recordsOf(
  table: string,
  lines: readonly string[],
  cuts: readonly number[] = [1],
): { key: string; value: Uint8Array }[] {
  const records: { key: string; value: Uint8Array }[] = [];
  for (let at = 0, turn = 0; at < lines.length; turn += 1) {
    const take = Math.max(1, cuts[turn % cuts.length] as number);
    records.push({ key: table, value: Buffer.from(lines.slice(at, at + take).join('\n')) });
    at += take;
  }
  return records;
}

export async function append(
  log: EventLog,
  table: string,
  records: readonly { key: string; value: Uint8Array }[],
  partition = partitionOf(table, log.partitions),
): Promise<void> {
  for (let at = 0; at < records.length; at += 50)
    await log.append({ partition, records: records.slice(at, at + 50), urgency: 'bulk' });
}

/** Returns so many tables of a partition. */
export function tablesIn({ partitions }: EventLog, partition: number, count: number): string[] {
  const tables: string[] = [];
  for (let n = 1; tables.length < count; n += 1)
    if (partitionOf(`T${n}`, partitions) === partition) tables.push(`T${n}`);
  return tables;
}

/** A log in memory, an empty database, and the auditors that were started on them. */
export class Floor {
  readonly metrics: AuditorMetrics[] = [];
  private readonly stores: RowStore[] = [];
  private readonly auditors: Auditor[] = [];
  private count = 0;

  private constructor(
    readonly log: MemoryLog,
    readonly database: TestDatabase,
    readonly client: pg.Client,
  ) {}

  static async open(partitions = 2): Promise<Floor> {
    const database = await createDatabase();
    await migrate(database.url);
    const client = new pg.Client(database.url);
    await client.connect();
    return new Floor(new MemoryLog({ partitions }), database, client);
  }

  store(schema?: string): RowStore {
    const rows = RowStore.open(this.database.url, {
      ...(schema !== undefined && { schema }),
      poolSize: 3,
    });
    this.stores.push(rows);
    return rows;
  }

  async start({
    judging = judgingBy(BOOK),
    leaseMs = 3_000,
    journal = SILENT,
    gapAfterMs,
    waitingEveryMs,
    log = this.log,
    schema,
    rows = this.store(schema),
  }: {
    judging?: Judging;
    leaseMs?: number;
    journal?: Journal;
    gapAfterMs?: number;
    waitingEveryMs?: number;
    log?: EventLog;
    schema?: string;
    rows?: RowStore;
  } = {}): Promise<Auditor> {
    const metrics = new AuditorMetrics();
    this.metrics.push(metrics);
    const auditor = await Auditor.start({
      log,
      rows,
      judging,
      dayOf,
      journal,
      metrics,
      owner: `test/${(this.count += 1)}`,
      leaseMs,
      ...(gapAfterMs !== undefined && { gapAfterMs }),
      ...(waitingEveryMs !== undefined && { waitingEveryMs }),
    });
    this.auditors.push(auditor);
    return auditor;
  }

  /** Waits until the rows of every partition are at the log's head. */
  async caughtUp(schema = 'rows'): Promise<void> {
    await eventually('the rows at the head of the log', async () => {
      const { rows } = await this.client.query<{ partition: number; next: string }>(
        `select partition, next from ${schema}.position`,
      );
      const heads = await Promise.all(rows.map(({ partition }) => this.log.head(partition)));
      return rows.length === this.log.partitions &&
        rows.every(({ next }, i) => Number(next) === heads[i])
        ? true
        : JSON.stringify({ rows, heads }) && false;
    });
  }

  /** Ends all leases, so that no test waits for one. */
  async expireLeases(): Promise<void> {
    await this.client.query(
      "update rows.position set lease_until = clock_timestamp() - interval '1 s' where owner is not null",
    );
    await this.client.query('delete from rows.member');
  }

  async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.client.query<T>(sql, values)).rows;
  }

  /** Returns all rows, without the columns that depend on who wrote them and when. */
  async dump(schema = 'rows'): Promise<Record<string, unknown[]>> {
    const dump: Record<string, unknown[]> = {};
    for (const table of [
      'table_state',
      'shoe',
      'coup',
      'finding',
      'review_event',
      'unjudgeable',
      'ledger',
      'commission',
      'dealt',
      'bet_total',
      'device',
      'position',
    ]) {
      const rows = await this.query(
        `select to_jsonb(t) - array['snapshot','snapshot_next','snapshot_waits','generation','owner','lease_ms','lease_until','committed_at'] as row from ${schema}.${table} t order by 1`,
      );
      dump[table] = rows.map(({ row }) => row as unknown);
    }
    return dump;
  }

  async close(): Promise<void> {
    for (const auditor of this.auditors) await auditor.abandon();
    for (const store of this.stores) await store.close();
    await this.client.end();
    await this.log.close();
    await this.database.drop();
  }
}

/** The rows that the fold alone produces from one table's lines. */
export interface Expected {
  readonly findings: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
  readonly ledger: readonly unknown[];
  readonly shoes: readonly {
    readonly shoe: string;
    readonly coups: number;
    readonly cards: number;
    readonly closed: boolean;
  }[];
  readonly coups: readonly unknown[];
  readonly commission: readonly unknown[];
  readonly dealt: readonly unknown[];
  readonly bets: readonly unknown[];
  readonly counts: Record<string, number>;
}

const NO_SUMS = { ledger: [], commission: [], dealt: [], bets: [] };

/**
 * Returns the expected rows by folding the same lines, without rows, batches, snapshots or a
 * database in between.
 */
export function expectedOf(lines: readonly string[]): Expected {
  const events = lines.map(decoded);
  const state = newTable(events[0]?.table ?? '');
  const standing = new Standing();
  const all: ShoeRows[] = [];
  const take = (changes = takeChanges(state)): void => {
    const rows = rowsOfChanges(changes);
    standing.take(rows);
    all.push(...rows.shoes);
  };
  for (const event of events) {
    fold(state, event, BOOK);
    const final = takeFinalChanges(state);
    if (final) take(final);
  }
  take();
  const sums = all.map((rows) => ({ ...rows.shoe, ...(rows.sums(dayOf) ?? NO_SUMS) }));
  return {
    findings: standing.findings,
    unjudgeable: standing.unjudgeable,
    ledger: sums.flatMap(({ shoe, ledger }) => ledger.map((line) => ({ shoe, ...line }))),
    shoes: all.map(({ shoe: { shoe, coups, cards, closed } }) => ({ shoe, coups, cards, closed })),
    coups: all.flatMap((rows) =>
      rows.coups().map(({ ref, coup, state: is, outcome, dealer, detail }) => ({
        shoe: rows.name,
        ref,
        coup,
        state: is,
        outcome,
        dealer,
        detail,
      })),
    ),
    commission: sums.flatMap(({ shoe, commission }) =>
      commission.map((line) => ({ shoe, ...line })),
    ),
    dealt: sums.flatMap(({ ref, dealt }) => dealt.map((line) => ({ shoeRef: ref, ...line }))),
    bets: sums.flatMap(({ ref, bets }) => bets.map((line) => ({ shoeRef: ref, ...line }))),
    counts: { ...state.admission.counts },
  };
}

/** Returns the rows of one table, in the same shape. */
export async function rowsOf(floor: Pick<Floor, 'query'>, table: string): Promise<Expected> {
  const one = async <T>(sql: string): Promise<T[]> =>
    (await floor.query<{ row: T }>(sql, [table])).map(({ row }) => row);
  const [counts] = await one<Record<string, number>>(
    `select json_build_object('read', read, 'admitted', admitted, 'duplicates', duplicates, 'equivocal', equivocal, 'late', late, 'stray', stray) as row from rows.table_state where "table" = $1`,
  );
  return {
    findings: await one(
      'select body as row from rows.finding where "table" = $1 and withdrawn_because is null',
    ),
    unjudgeable: await one('select body as row from rows.unjudgeable where "table" = $1'),
    ledger: await one(
      `select json_build_object('shoe', shoe, 'seat', seat, 'due', due, 'taken', taken, 'marked', marked, 'collected', collected, 'waived', waived) as row from rows.ledger where "table" = $1`,
    ),
    shoes: await one(
      `select json_build_object('shoe', shoe, 'coups', coups, 'cards', cards, 'closed', closed) as row from rows.shoe where "table" = $1`,
    ),
    coups: await one(
      `select json_build_object('shoe', shoe, 'ref', ref, 'coup', coup, 'state', state, 'outcome', outcome, 'dealer', dealer, 'detail', detail) as row from rows.coup where "table" = $1`,
    ),
    commission: await one(
      `select json_build_object('shoe', shoe, 'seat', seat, 'dealer', dealer, 'gamingDay', gaming_day, 'due', due, 'taken', taken, 'marked', marked, 'collected', collected, 'waived', waived) as row from rows.commission where "table" = $1`,
    ),
    dealt: await one(
      `select json_build_object('shoeRef', shoe_ref, 'dealer', dealer, 'gamingDay', gaming_day, 'coups', coups, 'cards', cards) as row from rows.dealt where "table" = $1`,
    ),
    bets: await one(
      `select json_build_object('shoeRef', shoe_ref, 'bet', bet, 'dealer', dealer, 'gamingDay', gaming_day, 'bets', bets, 'staked', staked, 'paid', paid, 'taken', taken) as row from rows.bet_total where "table" = $1`,
    ),
    counts: counts ?? {},
  };
}

/** Sorts lists and the members of values, for comparison. */
export function inAnyOrder(of: Expected): unknown {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : value && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([k, v]) => [k, sorted(v)]),
          )
        : value;
  return Object.fromEntries(
    Object.entries(of).map(([name, list]: [string, unknown]) => [
      name,
      Array.isArray(list) ? list.map((each) => JSON.stringify(sorted(each))).sort() : list,
    ]),
  );
}
