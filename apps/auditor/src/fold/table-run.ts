import {
  fold,
  FOLD_VERSION,
  loadTable,
  newTable,
  referenceOf,
  saveTable,
  shoesInReach,
  type AnyEvent,
  type Consequence,
  type RuleBook,
  type TableState,
} from '#audit';
import { hear, isDevice, newDevice, type Device } from './device.js';
import { DrawnSums } from './sums.js';
import { isLater } from './times.js';
import { lookAt, note, Touched } from './touched.js';

/** What decides on one event: the fold of `#audit`, unless a test hands in one that fails. */
type Fold = (state: TableState, event: AnyEvent, book: RuleBook) => Consequence[];

/** The judges and the rules that they judge by. */
export interface Judging {
  readonly book: RuleBook;
  readonly fold: Fold;
}

export const judgingBy = (book: RuleBook): Judging => ({ book, fold });

/** The version of what is kept of a table besides the fold's state. */
const KEPT_VERSION = 1;

interface Kept {
  readonly version: number;
  readonly fold: number;
  readonly lastTime: string;
  readonly lastReceived: string | null;
  readonly devices: readonly Device[];
  readonly openings: readonly (readonly [ref: string, at: LineAt])[];
}

/** Where an event stands in its partition. */
export interface LineAt {
  readonly offset: number;
  /** Its line in the record, from 0. */
  readonly line: number;
}

/** A table as this auditor has it: the fold's state, what is kept beside it, and what changed since its rows were last projected. */
export class TableRun {
  readonly drawnSums = new DrawnSums();
  /** Whether it was loaded from a snapshot. */
  readonly isLoaded: boolean;
  private touched = new Touched();
  private eventsFolded = 0;
  private lastEventTime: string;
  private highestReceived: string | null;
  private readonly heardDevices: Map<string, Device>;
  private lastDevice: Device | undefined;
  /** Where the last shoes were opened, by the reference of the opening. */
  private readonly openings: Map<string, LineAt>;

  private constructor(
    readonly state: TableState,
    private readonly judging: Judging,
    kept?: Kept,
  ) {
    this.isLoaded = kept !== undefined;
    this.lastEventTime = kept?.lastTime ?? '';
    this.highestReceived = kept?.lastReceived ?? null;
    this.heardDevices = new Map(kept?.devices.map((device) => [device.source, device]));
    this.openings = new Map(kept?.openings);
  }

  static fresh(table: string, judging: Judging): TableRun {
    return new TableRun(newTable(table), judging);
  }

  /** The table from `save`, or undefined where another version saved it: such state is rebuilt from the log, never read. */
  static load(saved: Uint8Array, judging: Judging): TableRun | undefined {
    const text = Buffer.from(saved.buffer, saved.byteOffset, saved.byteLength).toString('utf8');
    const end = text.indexOf('\n');
    const kept = JSON.parse(text.slice(0, end)) as Kept;
    if (kept.version !== KEPT_VERSION || kept.fold !== FOLD_VERSION) return undefined;
    return new TableRun(loadTable(text.slice(end + 1), judging.book), judging, kept);
  }

  /** Everything that a later owner needs to go on. */
  save(): Uint8Array {
    const kept: Kept = {
      version: KEPT_VERSION,
      fold: FOLD_VERSION,
      lastTime: this.lastEventTime,
      lastReceived: this.highestReceived,
      devices: [...this.heardDevices.values()],
      openings: [...this.openings],
    };
    return Buffer.from(`${JSON.stringify(kept)}\n${saveTable(this.state)}`);
  }

  get table(): string {
    return this.state.table;
  }

  /** Events folded since it was made or loaded. */
  get folded(): number {
    return this.eventsFolded;
  }

  /** The time of the last event; empty before the first. */
  get lastTime(): string {
    return this.lastEventTime;
  }

  /** The highest `receivedtime`: the time of review. */
  get lastReceived(): string | null {
    return this.highestReceived;
  }

  get devices(): ReadonlyMap<string, Device> {
    return this.heardDevices;
  }

  /** Whether an event changed something since `takeTouched` was last called. */
  get isTouched(): boolean {
    return this.touched.table > 0;
  }

  /** Folds one event, which stands at `at`. Where this throws, the state is spent: the table is to be loaded again. */
  take(event: AnyEvent, received: string | null, at: LineAt): void {
    const { state, touched } = this;
    const changed = at.offset + 1;
    if (event.type === 'shoe-opened') this.noteOpening(referenceOf(event), at);
    const was = lookAt(state);
    const news = this.judging.fold(state, event, this.judging.book);
    note(touched, was, state, news, changed);
    for (const each of news)
      if (each.is === 'raised' && !touched.raised.has(each.finding.id))
        touched.raised.set(each.finding.id, received);
    this.eventsFolded += 1;
    this.lastEventTime = event.time;
    if (
      received !== null &&
      (this.highestReceived === null || isLater(received, this.highestReceived))
    )
      this.highestReceived = received;
    this.hear(event, received, changed);
  }

  private noteOpening(ref: string, at: LineAt): void {
    if (this.openings.has(ref)) return;
    this.openings.set(ref, at);
    if (this.openings.size <= OPENINGS_MAX) return;
    const inReach = new Set(shoesInReach(this.state).map((shoe) => shoe.ref));
    for (const old of this.openings.keys()) {
      if (inReach.has(old)) continue;
      this.openings.delete(old);
      return;
    }
  }

  /** Where a shoe within reach was opened. */
  openedAt(ref: string): LineAt {
    return this.openings.get(ref) ?? { offset: 0, line: 0 };
  }

  private hear(event: AnyEvent, received: string | null, changed: number): void {
    const { source } = event;
    let device = this.lastDevice;
    if (device?.source !== source) {
      if (!isDevice(source)) return;
      device = this.heardDevices.get(source);
      if (!device) {
        if (this.heardDevices.size >= DEVICES_MAX) return;
        this.heardDevices.set(source, (device = newDevice(source)));
      }
      this.lastDevice = device;
    }
    hear(device, event, received, changed);
    this.touched.devices.add(source);
  }

  /** Returns what changed since the last call, and forgets it. */
  takeTouched(): Touched {
    const { touched } = this;
    this.touched = new Touched();
    return touched;
  }
}

/** Openings remembered: as many as a table may wait with, and some. */
const OPENINGS_MAX = 80;

/** Devices kept of a table: more than any has, and a bound on what a mistaken sender can make of it. */
const DEVICES_MAX = 1_024;
