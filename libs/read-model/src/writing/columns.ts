import { keyOf } from '../database/schema-keys.js';
import type {
  CommissionAmounts,
  CoupRowOut,
  DeviceRow,
  FindingRow,
  ParkedRow,
  ShoeRowOut,
  ShoeTotals,
  TableRow,
  UnjudgeableRow,
} from './rows.js';
import type { ColumnType } from './arrays.js';

/** A column of a table: its name, its type, and its value in a row. */
type WrittenColumn<Row> = readonly [name: string, type: ColumnType, value: (row: Row) => unknown];

/** How rows of one kind lie in their table. */
export interface WrittenTable<Row> {
  readonly table: string;
  /** The first of `columns`, this many, are the primary key. */
  readonly keyColumns: number;
  /** Columns that stay as the first writing of the row left them. */
  readonly kept?: readonly string[];
  readonly columns: readonly WrittenColumn<Row>[];
  /** Columns that every writing sets to the same SQL. */
  readonly set?: Readonly<Record<string, string>>;
}

const maybeKey = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : keyOf(text);
const changed = [
  ['partition', 'integer', (row: { readonly partition: number }) => row.partition],
  ['changed', 'bigint', (row: { readonly changed: number }) => row.changed],
] as const;

export const TABLE_STATE: WrittenTable<TableRow> = {
  table: 'table_state',
  keyColumns: 1,
  columns: [
    ['table', 'text', (row) => keyOf(row.table)],
    ['name', 'text', (row) => row.table],
    ['shoe_ref', 'text', (row) => maybeKey(row.shoeRef)],
    ['dealer', 'text', (row) => maybeKey(row.dealer)],
    ['last_event_time', 'timestamptz', (row) => row.lastEventTime],
    ['last_received', 'timestamptz', (row) => row.lastReceived],
    ['read', 'bigint', (row) => row.read],
    ['admitted', 'bigint', (row) => row.admitted],
    ['duplicates', 'bigint', (row) => row.duplicates],
    ['equivocal', 'bigint', (row) => row.equivocal],
    ['late', 'bigint', (row) => row.late],
    ['stray', 'bigint', (row) => row.stray],
    ...changed,
  ],
};

export const SHOE: WrittenTable<ShoeRowOut> = {
  table: 'shoe',
  keyColumns: 2,
  kept: ['opened_offset', 'opened_line'],
  columns: [
    ['ref', 'text', (row) => keyOf(row.ref)],
    ['table', 'text', (row) => keyOf(row.table)],
    ['shoe', 'text', (row) => keyOf(row.shoe)],
    ['rules', 'text', (row) => row.rules],
    ['decks', 'bigint', (row) => row.decks],
    ['kind', 'text', (row) => row.kind],
    ['currency', 'text', (row) => row.currency],
    ['coups', 'bigint', (row) => row.coups],
    ['cards', 'bigint', (row) => row.cards],
    ['unread', 'bigint', (row) => row.unread],
    ['closed', 'boolean', (row) => row.closed],
    ['close_reason', 'text', (row) => row.closeReason],
    ['remaining', 'bigint', (row) => row.remaining],
    ['opened_at', 'timestamptz', (row) => row.openedAt],
    ['closed_at', 'timestamptz', (row) => row.closedAt],
    ['gaming_day', 'date', (row) => row.gamingDay],
    ['opened_offset', 'bigint', (row) => row.openedOffset],
    ['opened_line', 'integer', (row) => row.openedLine],
    ...changed,
  ],
};

export const COUP: WrittenTable<CoupRowOut> = {
  table: 'coup',
  keyColumns: 2,
  columns: [
    ['ref', 'text', (row) => keyOf(row.ref)],
    ['table', 'text', (row) => keyOf(row.table)],
    ['shoe_ref', 'text', (row) => keyOf(row.shoeRef)],
    ['shoe', 'text', (row) => keyOf(row.shoe)],
    ['coup', 'bigint', (row) => row.coup],
    ['kind', 'text', (row) => row.kind],
    ['state', 'text', (row) => row.state],
    ['outcome', 'text', (row) => row.outcome],
    ['dealer', 'text', (row) => maybeKey(row.dealer)],
    ['opened_at', 'timestamptz', (row) => row.openedAt],
    ['ended_at', 'timestamptz', (row) => row.endedAt],
    ['gaming_day', 'date', (row) => row.gamingDay],
    ['detail', 'json', (row) => row.detail],
    ...changed,
  ],
};

export const FINDING: WrittenTable<FindingRow> = {
  table: 'finding',
  keyColumns: 1,
  columns: [
    ['id', 'text', ({ finding }) => finding.id],
    ['code', 'text', ({ finding }) => finding.code],
    ['severity', 'smallint', ({ finding }) => finding.severity],
    ['table', 'text', ({ finding }) => keyOf(finding.table)],
    ['shoe', 'text', ({ finding }) => keyOf(finding.shoe)],
    ['shoe_ref', 'text', (row) => maybeKey(row.shoeRef)],
    ['coup', 'bigint', ({ finding }) => finding.coup],
    ['coup_ref', 'text', (row) => maybeKey(row.coupRef)],
    ['seat', 'bigint', ({ finding }) => finding.seat],
    ['bet', 'text', ({ finding }) => maybeKey(finding.bet)],
    ['hand', 'text', ({ finding }) => finding.hand],
    ['rules', 'text', ({ finding }) => finding.rules],
    ['explained_by', 'text', ({ finding }) => finding.explainedBy],
    ['impact_amount', 'bigint', ({ finding }) => finding.impact?.amount],
    ['impact_currency', 'text', ({ finding }) => finding.impact?.currency],
    ['impact_favours', 'text', ({ finding }) => finding.impact?.favours],
    ['void', 'boolean', ({ finding }) => finding.void],
    ['remedied', 'boolean', ({ finding }) => finding.remedied],
    ['dealer', 'text', (row) => maybeKey(row.dealer)],
    ['at', 'timestamptz', (row) => row.at],
    ['gaming_day', 'date', (row) => row.gamingDay],
    ['withdrawn_because', 'text', (row) => row.withdrawnBecause],
    ['body', 'json', ({ finding }) => finding],
    ...changed,
  ],
};

export type UnjudgeableStanding = UnjudgeableRow & {
  readonly entry: NonNullable<UnjudgeableRow['entry']>;
};

export const UNJUDGEABLE: WrittenTable<UnjudgeableStanding> = {
  table: 'unjudgeable',
  keyColumns: 3,
  columns: [
    ['table', 'text', (row) => keyOf(row.table)],
    ['shoe_ref', 'text', (row) => keyOf(row.shoeRef)],
    ['key', 'text', (row) => keyOf(row.key)],
    ['shoe', 'text', ({ entry }) => keyOf(entry.shoe)],
    ['coup', 'bigint', ({ entry }) => entry.coup],
    ['body', 'json', ({ entry }) => entry],
    ...changed,
  ],
};

/** Whole milliseconds: a device's clock may say more. */
const wholeMs = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.round(ms);

export const DEVICE: WrittenTable<DeviceRow> = {
  table: 'device',
  keyColumns: 2,
  columns: [
    ['table', 'text', (row) => keyOf(row.table)],
    ['source', 'text', (row) => keyOf(row.source)],
    ['events', 'bigint', (row) => row.events],
    ['session', 'text', (row) => row.session],
    ['last_sequence', 'bigint', (row) => row.lastSequence],
    ['last_time', 'timestamptz', (row) => row.lastTime],
    ['last_received', 'timestamptz', (row) => row.lastReceived],
    ['clock_offset_last', 'bigint', (row) => wholeMs(row.clockOffset?.last)],
    ['clock_offset_least', 'bigint', (row) => wholeMs(row.clockOffset?.least)],
    ['clock_offset_most', 'bigint', (row) => wholeMs(row.clockOffset?.most)],
    ['online', 'boolean', (row) => row.online],
    ...changed,
  ],
};

export const PARKED: WrittenTable<ParkedRow> = {
  table: 'parked',
  keyColumns: 1,
  columns: [
    ['table', 'text', (row) => keyOf(row.table)],
    ['name', 'text', (row) => row.table],
    ['partition', 'integer', (row) => row.partition],
    ['offset', 'bigint', (row) => row.offset],
    ['line', 'integer', (row) => row.line],
    ['reason', 'text', (row) => row.reason],
  ],
  // A table that is parked again has not been asked about.
  set: {
    parked_at: 'clock_timestamp()',
    asked: 'null',
    asked_by: 'null',
    asked_at: 'null::timestamptz',
  },
};

/** A line of a shoe's totals with the shoe that it is of. */
export type Line<List extends 'ledger' | 'commission' | 'dealt' | 'bets'> = {
  readonly of: ShoeTotals;
  readonly line: ShoeTotals[List][number];
};

const AMOUNTS = (['due', 'taken', 'marked', 'collected', 'waived'] as const).map(
  (name) =>
    [name, 'bigint', ({ line }: { readonly line: CommissionAmounts }) => line[name]] as const,
);
/** A shoe is known by its reference and its table: nothing keeps two tables' senders from using the same reference. */
const OF_SHOE = [
  ['shoe_ref', 'text', ({ of }: { readonly of: ShoeTotals }) => keyOf(of.shoeRef)],
  ['table', 'text', ({ of }: { readonly of: ShoeTotals }) => keyOf(of.table)],
] as const;
const SHOE_NAME = [
  'shoe',
  'text',
  ({ of }: { readonly of: ShoeTotals }) => keyOf(of.shoe),
] as const;
const CURRENCY = [
  'currency',
  'text',
  ({ of }: { readonly of: ShoeTotals }) => of.currency,
] as const;
const SEAT = [
  'seat',
  'bigint',
  ({ line }: { readonly line: { readonly seat: number } }) => line.seat,
] as const;
const DEALT_BY = [
  [
    'dealer',
    'text',
    ({ line }: { readonly line: { readonly dealer: string } }) => keyOf(line.dealer),
  ],
  [
    'gaming_day',
    'date',
    ({ line }: { readonly line: { readonly gamingDay: string } }) => line.gamingDay,
  ],
] as const;

export const LEDGER: WrittenTable<Line<'ledger'>> = {
  table: 'ledger',
  keyColumns: 3,
  columns: [...OF_SHOE, SEAT, SHOE_NAME, CURRENCY, ...AMOUNTS],
};

export const COMMISSION: WrittenTable<Line<'commission'>> = {
  table: 'commission',
  keyColumns: 5,
  columns: [...OF_SHOE, SEAT, ...DEALT_BY, SHOE_NAME, CURRENCY, ...AMOUNTS],
};

export const DEALT: WrittenTable<Line<'dealt'>> = {
  table: 'dealt',
  keyColumns: 4,
  columns: [
    ...OF_SHOE,
    ...DEALT_BY,
    SHOE_NAME,
    ['coups', 'bigint', ({ line }) => line.coups],
    ['cards', 'bigint', ({ line }) => line.cards],
  ],
};

export const BET_TOTAL: WrittenTable<Line<'bets'>> = {
  table: 'bet_total',
  keyColumns: 5,
  columns: [
    ...OF_SHOE,
    ['bet', 'text', ({ line }) => keyOf(line.bet)],
    ...DEALT_BY,
    SHOE_NAME,
    CURRENCY,
    ['bets', 'bigint', ({ line }) => line.bets],
    ['staked', 'bigint', ({ line }) => line.staked],
    ['paid', 'bigint', ({ line }) => line.paid],
    ['taken', 'bigint', ({ line }) => line.taken],
  ],
};
