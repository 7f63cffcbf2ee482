import {
  closingOf,
  coupIn,
  coupReport,
  dealerOf,
  shoesInReach,
  shoeSums,
  standingDoubt,
  standingFinding,
  whenRaised,
  type Coup,
  type CoupReport,
  type Found,
  type Shoe,
} from '#audit';
import {
  findingColumns,
  type CoupRow,
  type DeviceRow,
  type FindingRow,
  type RowBatch,
  type ShoeRow,
  type ShoeTotals,
  type TableAsFolded,
  type UnjudgeableChange,
} from '#read-model';
import type { Device } from './device.js';
import type { TableRun } from './table-run.js';
import { utcOf } from './times.js';
import type { Touched, TouchedFinding } from './touched.js';

/** The gaming day of a time as an event gives it. */
export type DayOf = (time: string) => string;

/** Rows of a transaction while they are gathered. */
export type Gathered = { -readonly [list in keyof RowBatch]: RowBatch[list][number][] };

export const nothingGathered = (): Gathered => ({
  moves: [],
  tables: [],
  shoes: [],
  coups: [],
  findings: [],
  unjudgeable: [],
  totals: [],
  devices: [],
  snapshots: [],
  parked: [],
});

/** Draws the rows of all that changed at a table since they were last drawn, as it stands now, into `rows`. */
export function drawRows(run: TableRun, partition: number, dayOf: DayOf, rows: Gathered): void {
  const touched = run.takeTouched();
  if (touched.table === 0) return;
  new Drawing(run, touched, partition, dayOf).into(rows);
}

class Drawing {
  private readonly shoes: readonly Shoe[];

  constructor(
    private readonly run: TableRun,
    private readonly touched: Touched,
    private readonly partition: number,
    private readonly dayOf: DayOf,
  ) {
    const now = shoesInReach(run.state);
    this.shoes = [
      ...now,
      ...[...touched.held.values()].filter((shoe) => !now.some(({ ref }) => ref === shoe.ref)),
    ];
  }

  into(rows: Gathered): void {
    const { touched, run } = this;
    rows.tables.push(this.table());
    for (const [ref, changed] of touched.shoes)
      rows.shoes.push(this.shoe(this.shoeOf(ref), changed));
    for (const ref of touched.sums) rows.totals.push(this.totals(this.shoeOf(ref)));
    run.drawnSums.keep(this.shoes);
    for (const [ref, { shoeRef, changed }] of touched.coups) {
      const shoe = this.shoeOf(shoeRef);
      const coup = coupIn(shoe, ref);
      if (coup) rows.coups.push(this.coup(shoe, coupReport(shoe, coup), changed));
    }
    for (const { shoe, coup, changed } of touched.gone.values())
      rows.coups.push(this.coup(shoe, goneReport(coup), changed));
    for (const [id, finding] of touched.findings) rows.findings.push(this.finding(id, finding));
    for (const [key, { shoeRef, changed }] of touched.doubts)
      rows.unjudgeable.push(this.doubt(key, shoeRef, changed));
    for (const source of touched.devices)
      rows.devices.push(this.device(run.devices.get(source) as Device));
  }

  private shoeOf(ref: string): Shoe {
    const shoe = this.shoes.find((held) => held.ref === ref);
    if (!shoe) throw new Error(`the shoe opened by ${ref} changed and is not held`);
    return shoe;
  }

  private at(changed: number): { readonly partition: number; readonly changed: number } {
    return { partition: this.partition, changed };
  }

  private table(): TableAsFolded {
    const { state, lastTime, lastReceived } = this.run;
    const { read, admitted, duplicates, equivocal, late, stray } = state.admission.counts;
    return {
      table: state.table,
      name: state.table,
      shoeRef: state.open && !state.open.closed ? state.open.ref : null,
      dealer: state.duty.dealer,
      lastEventTime: utcOf(lastTime),
      lastReceived: lastReceived === null ? null : utcOf(lastReceived),
      read,
      admitted,
      duplicates,
      equivocal,
      late,
      stray,
      ...this.at(this.touched.table),
    };
  }

  private shoe(shoe: Shoe, changed: number): ShoeRow {
    const { opening, ref, name, rules, decks, currency, coups, drawn, unread, closed } = shoe;
    const closing = closingOf(shoe);
    const { offset, line } = this.run.openedAt(ref);
    const said = closing?.type === 'shoe-closed' ? closing.data : undefined;
    return {
      ref,
      table: shoe.table,
      shoe: name,
      rules: rules.ref,
      decks,
      kind: opening.data.kind,
      currency,
      coups: coups.length,
      cards: drawn,
      unread,
      closed,
      closeReason: said?.reason ?? null,
      remaining: said?.remaining ?? said?.remainingCards?.length ?? null,
      openedAt: utcOf(opening.time),
      closedAt: closing ? utcOf(closing.time) : null,
      gamingDay: this.dayOf(opening.time),
      openedOffset: offset,
      openedLine: line,
      ...this.at(changed),
    };
  }

  private totals(shoe: Shoe): ShoeTotals {
    return this.run.drawnSums.totals(shoe, shoeSums(shoe, this.dayOf));
  }

  private coup(shoe: Shoe, { openedAt, endedAt, ...coup }: CoupReport, changed: number): CoupRow {
    return {
      ...coup,
      shoeRef: shoe.ref,
      table: shoe.table,
      shoe: shoe.name,
      openedAt: utcOf(openedAt),
      endedAt: endedAt === null ? null : utcOf(endedAt),
      gamingDay: this.dayOf(openedAt),
      ...this.at(changed),
    };
  }

  private finding(id: string, { news, changed }: TouchedFinding): FindingRow {
    const standing = standingFinding(this.run.state, this.shoes, id);
    const finding = standing?.found.finding ?? news.finding;
    const shoe = standing
      ? standing.shoe
      : news.shoeRef === null
        ? null
        : this.shoeOf(news.shoeRef);
    const coup = standing
      ? standing.coup
      : shoe && news.coupRef !== null
        ? (coupIn(shoe, news.coupRef) ?? null)
        : null;
    const { time, dealer } = this.raised(
      shoe,
      coup,
      standing?.found ?? { finding, coup: news.coupRef, raisedBy: news.raisedBy },
    );
    const raisedAt = this.touched.raised.get(id) ?? null;
    return {
      ...findingColumns(finding),
      shoeRef: shoe?.ref ?? null,
      coupRef: standing ? standing.found.coup : news.coupRef,
      dealer,
      at: utcOf(time),
      gamingDay: this.dayOf(time),
      raisedAt: raisedAt === null ? null : utcOf(raisedAt),
      withdrawnBecause: standing || news.is !== 'withdrawn' ? null : news.because,
      ...this.at(changed),
    };
  }

  private raised(
    shoe: Shoe | null,
    coup: Coup | null,
    found: Found,
  ): { readonly time: string; readonly dealer: string | null } {
    if (coup) return { time: coup.opening.time, dealer: dealerOf(coup) };
    if (shoe) return whenRaised(shoe, found);
    return found.raised ?? { time: this.run.lastTime, dealer: this.run.state.duty.dealer };
  }

  private doubt(key: string, shoeRef: string, changed: number): UnjudgeableChange {
    const shoe = this.shoeOf(shoeRef);
    const doubt = standingDoubt(shoe, key);
    const row = { table: shoe.table, shoeRef, key, ...this.at(changed) };
    if (!doubt) return { ...row, body: null };
    const { coup: coupRef, entry: body } = doubt;
    return { ...row, shoe: body.shoe, coup: body.coup ?? null, coupRef, body };
  }

  private device({ clockOffset, changed, lastTime, lastReceived, ...device }: Device): DeviceRow {
    return {
      ...device,
      table: this.run.table,
      lastTime: utcOf(lastTime),
      lastReceived: lastReceived === null ? null : utcOf(lastReceived),
      clockOffsetLast: clockOffset?.last ?? null,
      clockOffsetLeast: clockOffset?.least ?? null,
      clockOffsetMost: clockOffset?.most ?? null,
      ...this.at(changed),
    };
  }
}

/** A coup that a correction took off the record stays as a void one in which nothing was dealt. */
const goneReport = ({ ref, number, kind, opening, dealers }: Coup): CoupReport => ({
  ref,
  coup: number,
  kind,
  state: 'void',
  outcome: null,
  dealer: dealers.at(-1) ?? null,
  openedAt: opening.time,
  endedAt: opening.time,
  detail: { cards: [], declared: [], bets: [], commission: [] },
});
