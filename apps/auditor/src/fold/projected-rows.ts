import {
  auditedTable,
  referenceOf,
  rowsOf,
  reviewerOf,
  shoesInReach,
  type AuditedFinding,
  type AuditedShoe,
  type Basis,
  type Changes,
  type Item,
  type ItemChange,
  type Policy,
  type Reviewed,
  type ShoeRows,
} from '#audit';
import {
  findingColumns,
  type BasisOfFinding,
  type FindingAsFolded,
  type LinePosition,
  type ReviewEventRow,
  type ReviewOfFinding,
  type CoupRow,
  type DeliveryRow,
  type DeviceRow,
  type HouseEventRow,
  type RowBatch,
  type ShoeRow,
  type TableAsFolded,
  type UnjudgeableChange,
} from '#read-model';
import type { Delivery } from './delivery.js';
import type { Device } from './device.js';
import { lineAt, type HouseAct, type TableRun } from './table-run.js';
import { isoOf, utcOf } from './times.js';

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
  table.addReviews(changes, rows);
  for (const device of devices) rows.devices.push(table.device(device));
  for (const act of acts) rows.houseEvents.push(table.houseEvent(act));
  for (const delivery of deliveries) rows.deliveries.push(table.delivery(delivery));
  run.projectedSums.keep(shoesInReach(run.state));
}

/**
 * Makes the read model's rows of a table: times in UTC, with gaming day, partition and offset.
 *
 * Every event makes some rows. Fields that a row adds stand before those that it takes over: V8
 * copies an object that a literal begins with, and each field added to the copy costs it a
 * microsecond.
 */
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
      name: table,
      lastEventTime: utcOf(lastTime),
      lastReceived: utcOrNull(lastReceived),
      ...auditedTable(state),
      ...this.at(mark),
    };
  }

  addShoe(changed: ShoeRows, rows: Gathered): void {
    const { mark } = changed;
    const sums = changed.sums(this.dayOf);
    if (mark !== null || sums) {
      const { shoe } = changed;
      if (mark !== null) rows.shoes.push(this.shoe(shoe, mark));
      if (sums) rows.totals.push(this.run.projectedSums.totals(shoe, sums));
    }
    rows.coups.push(...this.coups(changed));
    for (const finding of changed.findings()) rows.findings.push(this.finding(finding));
    rows.unjudgeable.push(...this.unjudgeable(changed));
  }

  private shoe(shoe: AuditedShoe, mark: number): ShoeRow {
    const { offset, line } = this.run.openedAt(shoe.ref);
    return {
      gamingDay: this.dayOf(shoe.openedAt),
      openedOffset: offset,
      openedLine: line,
      ...this.at(mark),
      ...shoe,
      openedAt: utcOf(shoe.openedAt),
      closedAt: utcOrNull(shoe.closedAt),
    };
  }

  private coups(changed: ShoeRows): CoupRow[] {
    const { ref: shoeRef, table, name: shoe } = changed;
    // copied whole, because to copy all but a few fields is slow
    return changed.coups().map((coup) => ({
      shoeRef,
      table,
      shoe,
      gamingDay: this.dayOf(coup.openedAt),
      ...this.at(coup.state === 'open' ? 0 : coup.mark),
      ...coup,
      openedAt: utcOf(coup.openedAt),
      endedAt: utcOrNull(coup.endedAt),
    }));
  }

  finding(changed: AuditedFinding): FindingAsFolded {
    const { finding, received, raised, mark, ...row } = changed;
    const { time, dealer } = raised();
    return {
      dealer,
      at: utcOf(time),
      gamingDay: this.dayOf(time),
      raisedAt: utcOrNull(received),
      ...row,
      ...findingColumns(finding),
      ...this.at(mark),
    };
  }

  addReviews({ reviews, items }: Changes, rows: Gathered): void {
    for (const each of reviews)
      if (each.is === 'reviewed' && each.outcome !== 'idempotency-key-reused')
        rows.reviewEvents.push(this.reviewEvent(each));
    for (const change of items) {
      rows.reviews.push(this.review(change));
      if (change.basis) rows.bases.push(this.basis(change.item.id, change.basis, change.mark));
    }
  }

  private reviewEvent({ event, finding, outcome, mark }: Reviewed): ReviewEventRow {
    const { type, time, data, position = 0 } = event;
    return {
      ref: referenceOf(event),
      table: this.run.table,
      finding,
      type,
      by: reviewerOf(event),
      as: data.as,
      at: utcOf(time),
      data,
      outcome,
      heldUntil:
        event.type === 'finding-video-held' && outcome === 'taken' ? utcOf(event.data.until) : null,
      ...lineAt(position),
      ...this.at(mark),
    };
  }

  private review({ item, lapsed, mark }: ItemChange): ReviewOfFinding {
    const { id, state, claim, proposal, ruling } = item;
    const { escalated, stale, regressed, touched, evidence } = item;
    return {
      id,
      review: state,
      claimedBy: claim && claim.by,
      claimedUntil: claim && isoOf(claim.until),
      proposal: proposal && proposal.ref,
      ruling: ruling && ruling.ref,
      ruledAt: ruling && isoOf(ruling.at),
      ...this.decided(item),
      ...{ escalated, stale, regressed, touched, lapsed, evidence },
      ...this.at(mark),
    };
  }

  /** Returns what a ruling, or else a proposal, decides; null if there is neither. */
  private decided({ proposal, ruling }: Item) {
    const { disposition, policy } = ruling ?? proposal ?? NOT_DECIDED;
    return {
      proposedBy: ruling ? ruling.proposedBy : proposal && proposal.by,
      disposition,
      policy,
      signedBy: ruling && ruling.signedBy,
      counts: this.counts(ruling),
    };
  }

  private counts(ruling: Item['ruling']): boolean {
    if (!ruling) return true;
    const { dispositions } = this.run.book.policies.get(ruling.policy) as Policy;
    return dispositions.get(ruling.disposition)?.counts ?? true;
  }

  private basis(id: string, { people, positions }: Basis, mark: number): BasisOfFinding {
    const lines = positions.map((position): LinePosition => {
      const { offset, line } = lineAt(position);
      return [offset, line];
    });
    return { id, people, lines, ...this.at(mark) };
  }

  private unjudgeable(changed: ShoeRows): UnjudgeableChange[] {
    const { ref: shoeRef, table } = changed;
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

  delivery(delivery: Delivery): DeliveryRow {
    return {
      table: this.run.table,
      ...this.at(delivery.changed),
      ...delivery,
      lastReceived: utcOf(delivery.lastReceived),
    };
  }

  device(device: Device): DeviceRow {
    const { clockOffset } = device;
    return {
      table: this.run.table,
      clockOffsetLast: clockOffset?.last ?? null,
      clockOffsetLeast: clockOffset?.least ?? null,
      clockOffsetMost: clockOffset?.most ?? null,
      ...this.at(device.changed),
      ...device,
      lastTime: utcOf(device.lastTime),
      lastReceived: utcOrNull(device.lastReceived),
    };
  }
}

const NOT_DECIDED = { disposition: null, policy: null };

const utcOrNull = (time: string | null): string | null => (time === null ? null : utcOf(time));
