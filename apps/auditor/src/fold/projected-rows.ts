import {
  auditedTable,
  referenceOf,
  rowsOf,
  shoesInReach,
  type AuditedFinding,
  type AuditedShoe,
  type ShoeRows,
} from '#audit';
import {
  findingColumns,
  type CoupRow,
  type DeliveryRow,
  type DeviceRow,
  type FindingRow,
  type HouseEventRow,
  type RowBatch,
  type ShoeRow,
  type TableAsFolded,
  type UnjudgeableChange,
} from '#read-model';
import type { Delivery } from './delivery.js';
import type { Device } from './device.js';
import type { HouseAct, TableRun } from './table-run.js';
import { utcOf } from './times.js';

/** Returns the gaming day of an event's time. */
export type DayOf = (time: string) => string;

/** Rows of a transaction while they are gathered. */
export type Gathered = { -readonly [list in keyof RowBatch]: RowBatch[list][number][] };

/** Returns a gathering without rows. */
export const nothingGathered = (): Gathered => ({
  moves: [],
  tables: [],
  shoes: [],
  coups: [],
  findings: [],
  unjudgeable: [],
  totals: [],
  devices: [],
  houseEvents: [],
  deliveries: [],
  snapshots: [],
  parked: [],
});

/** Takes the changes of a table and adds the rows that they make to `rows`. */
export function addRows(run: TableRun, partition: number, dayOf: DayOf, rows: Gathered): void {
  const { mark, changes, devices, acts, deliveries } = run.takeChanges();
  if (mark === null) return;
  const table = new TableProjection(run, partition, dayOf);
  rows.tables.push(table.row(mark));
  const { shoes, outside } = rowsOf(changes);
  for (const shoe of shoes) table.addShoe(shoe, rows);
  for (const finding of outside) rows.findings.push(table.finding(finding));
  for (const device of devices) rows.devices.push(table.device(device));
  for (const act of acts) rows.houseEvents.push(table.houseEvent(act));
  for (const delivery of deliveries) rows.deliveries.push(table.delivery(delivery));
  run.projectedSums.keep(shoesInReach(run.state));
}

/** Makes the read model's rows of a table: times in UTC, with gaming day, partition and offset. */
class TableProjection {
  constructor(
    private readonly run: TableRun,
    private readonly partition: number,
    private readonly dayOf: DayOf,
  ) {}

  private at(mark: number): { readonly partition: number; readonly changed: number } {
    return { partition: this.partition, changed: mark };
  }

  row(mark: number): TableAsFolded {
    const { state, table, lastTime, lastReceived } = this.run;
    return {
      ...auditedTable(state),
      name: table,
      lastEventTime: utcOf(lastTime),
      lastReceived: utcOrNull(lastReceived),
      ...this.at(mark),
    };
  }

  addShoe(changed: ShoeRows, rows: Gathered): void {
    const { shoe, mark } = changed;
    if (mark !== null) rows.shoes.push(this.shoe(shoe, mark));
    const sums = changed.sums(this.dayOf);
    if (sums) rows.totals.push(this.run.projectedSums.totals(shoe, sums));
    rows.coups.push(...this.coups(changed));
    for (const finding of changed.findings()) rows.findings.push(this.finding(finding));
    rows.unjudgeable.push(...this.unjudgeable(changed));
  }

  private shoe(shoe: AuditedShoe, mark: number): ShoeRow {
    const { offset, line } = this.run.openedAt(shoe.ref);
    return {
      ...shoe,
      openedAt: utcOf(shoe.openedAt),
      closedAt: utcOrNull(shoe.closedAt),
      gamingDay: this.dayOf(shoe.openedAt),
      openedOffset: offset,
      openedLine: line,
      ...this.at(mark),
    };
  }

  private coups(changed: ShoeRows): CoupRow[] {
    const { ref: shoeRef, table, shoe } = changed.shoe;
    return changed.coups().map(({ mark, openedAt, endedAt, ...coup }) => ({
      ...coup,
      shoeRef,
      table,
      shoe,
      openedAt: utcOf(openedAt),
      endedAt: utcOrNull(endedAt),
      gamingDay: this.dayOf(openedAt),
      ...this.at(mark),
    }));
  }

  finding(changed: AuditedFinding): FindingRow {
    const { finding, shoeRef, coupRef, withdrawnBecause, received, mark } = changed;
    const { time, dealer } = changed.raised();
    return {
      ...findingColumns(finding),
      shoeRef,
      coupRef,
      dealer,
      at: utcOf(time),
      gamingDay: this.dayOf(time),
      raisedAt: utcOrNull(received),
      withdrawnBecause,
      ...this.at(mark),
    };
  }

  private unjudgeable(changed: ShoeRows): UnjudgeableChange[] {
    const { ref: shoeRef, table } = changed.shoe;
    return changed.unjudgeable().map(({ key, coupRef, entry: body, mark }) => {
      const row = { table, shoeRef, key, ...this.at(mark) };
      if (!body) return { ...row, body };
      return { ...row, shoe: body.shoe, coup: body.coup ?? null, coupRef, body };
    });
  }

  houseEvent({ event, mark }: HouseAct): HouseEventRow {
    const { type, source: by, time, data } = event;
    return {
      ref: referenceOf(event),
      type,
      by,
      at: utcOf(time),
      gamingDay: this.dayOf(time),
      data,
      ...this.at(mark),
    };
  }

  delivery({ lastReceived, changed, ...delivery }: Delivery): DeliveryRow {
    return {
      ...delivery,
      table: this.run.table,
      lastReceived: utcOf(lastReceived),
      ...this.at(changed),
    };
  }

  device({ clockOffset, changed, lastTime, lastReceived, ...device }: Device): DeviceRow {
    return {
      ...device,
      table: this.run.table,
      lastTime: utcOf(lastTime),
      lastReceived: utcOrNull(lastReceived),
      clockOffsetLast: clockOffset?.last ?? null,
      clockOffsetLeast: clockOffset?.least ?? null,
      clockOffsetMost: clockOffset?.most ?? null,
      ...this.at(changed),
    };
  }
}

const utcOrNull = (time: string | null): string | null => (time === null ? null : utcOf(time));
