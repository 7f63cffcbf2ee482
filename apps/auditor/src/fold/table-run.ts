import {
  eventOf,
  fold,
  FOLD_VERSION,
  heardOf,
  holeOf,
  HOUSE_TABLE,
  isOfHouse,
  isReviewType,
  loadTable,
  newTable,
  saveTable,
  shoesInReach,
  takeChanges,
  timeIn,
  type AnyEvent,
  type Changes,
  type Heard,
  type LaneCounts,
  type LaneSetting,
  type Line,
  type Receipt,
  type RuleBook,
  type TableState,
} from '#audit';
import type { SnapshotRow } from '#read-model';
import { Deliveries, type Delivery } from './delivery.js';
import { hear, isDevice, newDevice, type Device } from './device.js';
import { ProjectedSums } from './sums.js';
import { isLater } from './times.js';

/** Folds one event: the fold of `#audit`, or in a test one that fails. */
type Fold = (state: TableState, event: AnyEvent | Line, book: RuleBook, receipt: Receipt) => void;

/** The fold, the rules that it judges by, and how it takes lines. */
export interface Judging {
  readonly book: RuleBook;
  readonly fold: Fold;
  readonly lanes: LaneSetting;
}

/** Returns the fold of `#audit` with a rule book. */
export const judgingBy = (book: RuleBook, lanes: LaneSetting = 'on'): Judging => ({
  ...{ book, fold, lanes },
});

/** The version of `Kept`, which is saved next to the fold's state. */
const KEPT_VERSION = 2;

interface Kept {
  readonly version: number;
  readonly fold: number;
  readonly lastTime: string;
  readonly lastReceived: string | null;
  readonly devices: readonly Device[];
  readonly deliveries: readonly Delivery[];
  readonly openings: readonly (readonly [ref: string, at: LineAt])[];
}

/** An event's position in its partition. */
export interface LineAt {
  readonly offset: number;
  /** Its line in the record, from 0. */
  readonly line: number;
}

/** More lines than a record has. */
const LINES = 16_384;
/** Returns a line's position as one number, as the fold keeps it. */
const positionOf = ({ offset, line }: LineAt): number => offset * LINES + line;
/** Returns the record and line of a number that `positionOf` returned. */
export const lineAt = (position: number): LineAt => ({
  offset: Math.floor(position / LINES),
  line: position % LINES,
});

/** An act in the house, and the offset after its record. */
export interface HouseAct {
  readonly event: AnyEvent;
  readonly mark: number;
}

/** The saved state of a table. */
export type SavedRun = Pick<SnapshotRow, 'state' | 'waits'>;

/**
 * A table of this auditor: the fold's state, what is kept next to it, and what changed since its
 * rows were last projected.
 */
export class TableRun {
  readonly projectedSums = new ProjectedSums();
  /** Whether it was loaded from a snapshot. */
  readonly isLoaded: boolean;
  /** The offset after the last folded record whose changes were not taken yet, or null. */
  private mark: number | null = null;
  private readonly changedDevices = new Set<Device>();
  /** Acts in the house since then. Only the run of the table `HOUSE_TABLE` has any. */
  private acts: HouseAct[] = [];
  private eventsFolded = 0;
  /** The counts of its lane when they were last taken. */
  private lanesTaken: LaneCounts = { lane: 0, again: 0 };
  private lastEventTime: string;
  private highestReceived: string | null;
  private readonly heardDevices: Map<string, Device>;
  private lastDevice: Device | undefined;
  private readonly deliveries: Deliveries;
  /** Where the last shoes were opened, by the reference of the opening. */
  private readonly openings: Map<string, LineAt>;

  private constructor(
    readonly state: TableState,
    private readonly judging: Judging,
    kept?: Kept,
  ) {
    state.lane.drawRows();
    this.isLoaded = kept !== undefined;
    this.lastEventTime = kept?.lastTime ?? '';
    this.highestReceived = kept?.lastReceived ?? null;
    this.heardDevices = new Map(kept?.devices.map((device) => [device.source, device]));
    this.deliveries = new Deliveries(kept?.deliveries);
    this.openings = new Map(kept?.openings);
  }

  static fresh(table: string, judging: Judging): TableRun {
    return new TableRun(newTable(table, judging.lanes), judging);
  }

  /**
   * Loads the table from `save`. Returns undefined if another version saved it; such a table is
   * folded from the log again.
   */
  static load(saved: Uint8Array, judging: Judging): TableRun | undefined {
    const text = Buffer.from(saved.buffer, saved.byteOffset, saved.byteLength).toString('utf8');
    const end = text.indexOf('\n');
    const kept = JSON.parse(text.slice(0, end)) as Kept;
    if (kept.version !== KEPT_VERSION || kept.fold !== FOLD_VERSION) return undefined;
    const { book, lanes } = judging;
    return new TableRun(loadTable(text.slice(end + 1), book, lanes), judging, kept);
  }

  /** Returns everything that a later owner needs to continue. */
  save(): SavedRun {
    const kept: Kept = {
      version: KEPT_VERSION,
      fold: FOLD_VERSION,
      lastTime: this.lastEventTime,
      lastReceived: this.highestReceived,
      devices: [...this.heardDevices.values()],
      deliveries: this.deliveries.all(),
      openings: [...this.openings],
    };
    return {
      state: Buffer.from(`${JSON.stringify(kept)}\n${saveTable(this.state)}`),
      waits: holeOf(this.state) !== null,
    };
  }

  get book(): RuleBook {
    return this.judging.book;
  }

  get table(): string {
    return this.state.table;
  }

  /** Events folded since the table was created or loaded. */
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

  /** Whether events were folded since the last call of `takeChanges`. */
  get isChanged(): boolean {
    return this.mark !== null;
  }

  /**
   * Folds one event, which `sender` delivered, at position `at`. If this throws, the state is
   * unusable and the table must be reloaded.
   */
  take(
    event: AnyEvent | Line,
    received: string | null,
    at: LineAt,
    sender: string | null = null,
  ): void {
    const mark = at.offset + 1;
    // the fold may read other lines
    const heard = heardOf(event);
    const time = timeIn(event);
    if (heard.opening !== null) this.noteOpening(heard.opening, at);
    if (this.table === HOUSE_TABLE && isOfHouse(heard))
      this.acts.push({ event: eventOf(event), mark });
    const { counts } = this.state.admission;
    const { duplicates } = counts;
    this.judging.fold(this.state, event, this.judging.book, {
      mark,
      received,
      position: positionOf(at),
    });
    this.mark = mark;
    this.eventsFolded += 1;
    // a table has been quiet since its last event, whenever people review what it did
    if (!isReviewType(heard.type) || this.lastEventTime === '') this.lastEventTime = time;
    if (
      received !== null &&
      (this.highestReceived === null || isLater(received, this.highestReceived))
    )
      this.highestReceived = received;
    this.hear(heard, { time, received }, mark);
    if (received === null || sender === null) return;
    const isDuplicate = counts.duplicates > duplicates;
    this.deliveries.count(heard, { sender, received, isDuplicate, mark });
  }

  private noteOpening(ref: string, at: LineAt): void {
    if (this.openings.has(ref)) return;
    this.openings.set(ref, at);
    if (this.openings.size <= OPENINGS_MAX) return;
    const inReach = new Set(shoesInReach(this.state));
    for (const old of this.openings.keys()) {
      if (inReach.has(old)) continue;
      this.openings.delete(old);
      return;
    }
  }

  /** Returns where a shoe within reach was opened. */
  openedAt(ref: string): LineAt {
    return this.openings.get(ref) ?? { offset: 0, line: 0 };
  }

  private hear(event: Heard, times: Parameters<typeof hear>[2], mark: number): void {
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
    hear(device, event, times, mark);
    this.changedDevices.add(device);
  }

  /** Returns how many events its lane took since the last call, and how many it gave back. */
  takeLaneCounts(): LaneCounts {
    const { lane, again } = this.state.lane.counts;
    const { lanesTaken } = this;
    this.lanesTaken = { lane, again };
    return { lane: lane - lanesTaken.lane, again: again - lanesTaken.again };
  }

  /** Returns what changed since the last call. `mark` is null if no event was folded. */
  takeChanges(): {
    readonly mark: number | null;
    readonly changes: Changes;
    readonly devices: readonly Device[];
    readonly acts: readonly HouseAct[];
    readonly deliveries: readonly Delivery[];
  } {
    const { mark, acts } = this;
    this.acts = [];
    const devices = [...this.changedDevices];
    this.mark = null;
    this.changedDevices.clear();
    const deliveries = this.deliveries.takeChanged();
    return { mark, changes: takeChanges(this.state), devices, acts, deliveries };
  }
}

/** Openings kept. Beyond this, the oldest whose shoe is out of reach is dropped. */
const OPENINGS_MAX = 80;

/** Devices kept per table: more than any table has. Bounds what a misconfigured sender can add. */
const DEVICES_MAX = 1_024;
