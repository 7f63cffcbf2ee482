import {
  asciiBytes,
  feedDevice,
  line1Gateway,
  powerUp,
  recordEvent,
  remember,
  type Line1DeviceMemory,
  type Line1DeviceState,
  type Line1DeviceTurn,
  type Line1GatewayState,
  type Line1GatewayTurn,
  type Line1Memory,
  type Observation,
  type ReportedEvent,
} from '#devices';
import { seeded, type Chance } from './chance.js';

/** Seconds between two looks at the clock. */
const STEP = 0.02;
/** Seconds in which cards are drawn and things fail, and those in which everything must arrive. */
const PLAY = 60;
const REST = 240;

/** What a run does to the line and to both sides. */
export interface Faults {
  /** The share of bytes that are dropped, changed or followed by another. */
  readonly bytes: number;
  /** How often a minute each thing happens. */
  readonly deviceCuts: number;
  readonly gatewayCuts: number;
  readonly linkLosses: number;
  readonly busyTimes: number;
  /** Whether the device keeps its events without power. */
  readonly keepsMemory: boolean;
}

/** An event that the device made. */
interface MadeEvent {
  readonly boot: number;
  readonly seq: number;
  readonly event: ReportedEvent;
  /** The device lost it with its memory. */
  isForgotten: boolean;
}

/** Bytes on their way. */
interface Travelling {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * Line protocol 1 as a model: both sides over a line that damages bytes. Time is a number, and
 * everything that happens follows from the seed.
 */
export class LineModel {
  readonly made: MadeEvent[] = [];
  /** What is on the gateway's disk, in its order. */
  readonly durable: Observation[] = [];
  /** The numbers on the gateway's disk. */
  private readonly numbers = new Set<string>();
  /** What went wrong, in words. */
  readonly wrong: string[] = [];
  lines = 0;
  private readonly chance: Chance;
  private readonly protocol;
  private up = 0;
  private boot = 0;
  private device: Line1DeviceState | null = null;
  private gateway: Line1GatewayState | null = null;
  /** What the device keeps without power. */
  private kept: Line1DeviceMemory = [];
  private isLinked = true;
  private toGateway: Travelling[] = [];
  private toDevice: Travelling[] = [];
  /** Observations that are not synced, and those whose sync ends at `syncedAt`. */
  private waiting: Observation[] = [];
  private syncing: Observation[] = [];
  private syncedAt = Infinity;
  /** What happens later, by time. */
  private later: { readonly at: number; readonly act: () => void }[] = [];

  constructor(
    seed: number,
    private readonly faults: Faults,
  ) {
    this.chance = seeded(seed);
    this.protocol = line1Gateway({
      listenOnly: false,
      freshDigits: () =>
        Math.floor(this.chance.upTo(2 ** 32))
          .toString(16)
          .padStart(8, '0'),
    });
  }

  /** Runs until every event that still exists is durable. Returns whether that came about. */
  run(): boolean {
    this.startDevice();
    this.startGateway();
    while (this.up < PLAY) {
      this.step();
      this.fail();
      if (this.chance.upTo(1) < 1.2 * STEP) this.draw();
    }
    while (this.up < PLAY + REST && !this.isDone()) this.step();
    return this.isDone();
  }

  /** The events on the gateway's disk, with their numbers. */
  stored(): readonly { readonly session: string; readonly seq: number; readonly event: string }[] {
    return this.durable.flatMap((each) =>
      each.kind === 'report' && typeof each.deviceNumber === 'number'
        ? [
            {
              session: each.session ?? '',
              seq: each.deviceNumber,
              event: JSON.stringify(each.fields.events),
            },
          ]
        : [],
    );
  }

  private isDone(): boolean {
    const unsent = this.device?.boots.some(({ events }) => events.length > 0) ?? true;
    return !unsent && this.gateway !== null && this.waiting.length + this.syncing.length === 0;
  }

  private step(): void {
    this.up += STEP;
    const due = this.later.filter(({ at }) => at <= this.up);
    this.later = this.later.filter(({ at }) => at > this.up);
    for (const { act } of due) act();
    this.deliver();
    this.sync();
  }

  private deliver(): void {
    const arrived = (on: readonly Travelling[]): Uint8Array =>
      Uint8Array.from(on.flatMap(({ at, bytes }) => (at <= this.up ? [...bytes] : [])));
    const [forGateway, forDevice] = [arrived(this.toGateway), arrived(this.toDevice)];
    this.toGateway = this.toGateway.filter(({ at }) => at > this.up);
    this.toDevice = this.toDevice.filter(({ at }) => at > this.up);
    if (this.gateway) this.takeGateway(this.protocol.feed(this.gateway, forGateway, this.up));
    if (this.device) this.takeDevice(feedDevice(this.device, forDevice, this.up));
  }

  /** Lets things happen, each about as often as the faults say. */
  private fail(): void {
    const happens = (perMinute: number): boolean => this.chance.upTo(1) < (perMinute * STEP) / 60;
    if (happens(this.faults.deviceCuts) && this.device) this.cutDevice();
    if (happens(this.faults.gatewayCuts) && this.gateway) this.cutGateway();
    if (happens(this.faults.linkLosses) && this.isLinked) this.loseLink();
    if (happens(this.faults.busyTimes) && this.gateway) this.beBusy();
  }

  private after(seconds: number, act: () => void): void {
    this.later.push({ at: this.up + seconds, act });
  }

  private draw(): void {
    if (this.device === null) return;
    const event: ReportedEvent = {
      type: 'card-drawn',
      data: { card: this.chance.oneOf(['9S', 'TD', 'AC', null]), to: 'player' },
    };
    this.takeDevice(recordEvent(this.device, event, this.up));
  }

  private startDevice(): void {
    this.boot += 1;
    const memory = this.kept;
    const missed = memory.length > 0 || this.boot === 1 ? 0 : null;
    const device = { unit: 'U', firmware: '1', boot: this.boot, memory, missed };
    const turn = powerUp(device, this.up);
    const kept = new Set(turn.state.boots.map(({ boot }) => boot));
    // It keeps four boots: this one, and three before it.
    const waiting = memory.filter(({ events }) => events.length > 0);
    this.forget(waiting.slice(0, -3).filter(({ boot }) => !kept.has(boot)));
    this.takeDevice(turn);
  }

  private cutDevice(): void {
    if (this.device === null) return;
    this.kept = this.faults.keepsMemory ? this.device.boots : [];
    if (!this.faults.keepsMemory) this.forget(this.device.boots);
    this.device = null;
    this.after(this.chance.upTo(4), () => {
      this.startDevice();
    });
  }

  /** The device lost what these boots had not delivered. */
  private forget(boots: Line1DeviceMemory): void {
    for (const made of this.made) {
      const memory = boots.find(({ boot }) => boot === made.boot);
      if (memory?.events.some(({ seq }) => seq === made.seq)) made.isForgotten = true;
    }
  }

  private startGateway(): void {
    const memory = this.durable.reduce<Line1Memory>(remember, []);
    this.takeGateway(this.protocol.opened(this.protocol.start(memory), this.up));
  }

  private cutGateway(): void {
    this.gateway = null;
    this.waiting = [];
    this.syncing = [];
    this.syncedAt = Infinity;
    this.after(this.chance.upTo(4), () => {
      this.startGateway();
    });
  }

  private loseLink(): void {
    this.isLinked = false;
    [this.toGateway, this.toDevice] = [[], []];
    this.after(this.chance.upTo(8), () => {
      this.isLinked = true;
      if (this.gateway) this.takeGateway(this.protocol.opened(this.gateway, this.up));
    });
  }

  private beBusy(): void {
    if (this.gateway === null) return;
    this.takeGateway(this.protocol.busy(this.gateway, 'spool', this.up));
    this.after(this.chance.upTo(15), () => {
      if (this.gateway) this.takeGateway(this.protocol.busy(this.gateway, null, this.up));
    });
  }

  private takeDevice({ state, write }: Line1DeviceTurn): void {
    const isSame = this.device?.boots === state.boots;
    this.device = state;
    if (!isSame) this.noteMade(state);
    if (!isSame) this.noteAcknowledged(state);
    this.lines += write.length;
    this.toGateway.push(...this.sent(write));
  }

  private takeGateway({ state, write, observations }: Line1GatewayTurn): void {
    this.gateway = state;
    this.waiting.push(...observations);
    this.lines += write.length;
    this.toDevice.push(...this.sent(write));
  }

  private noteMade({ boots }: Line1DeviceState): void {
    const { boot, events } = boots.at(-1) ?? { boot: 0, events: [] };
    for (const { seq, event } of events)
      if (!this.made.some((each) => each.boot === boot && each.seq === seq))
        this.made.push({ boot, seq, event, isForgotten: false });
  }

  /** What the device no longer keeps must be on the disk. */
  private noteAcknowledged({ boots }: Line1DeviceState): void {
    const kept = new Set(
      boots.flatMap(({ boot, events }) => events.map(({ seq }) => `U.${boot}/${seq}`)),
    );
    for (const { boot, seq, isForgotten } of this.made) {
      const number = `U.${boot}/${seq}`;
      if (!kept.has(number) && !isForgotten && !this.numbers.has(number))
        this.wrong.push(`${number} was acknowledged and is not on the disk`);
    }
  }

  private sync(): void {
    if (this.up >= this.syncedAt) {
      this.durable.push(...this.syncing);
      for (const { session = '', deviceNumber = 0 } of this.syncing.filter(isNumbered))
        this.numbers.add(`${session}/${deviceNumber}`);
      const stored = this.syncing;
      this.syncing = [];
      this.syncedAt = Infinity;
      for (const { session = '', deviceNumber } of lastOfEach(stored))
        if (this.gateway && typeof deviceNumber === 'number') {
          const upTo = { session, number: deviceNumber };
          this.takeGateway(this.protocol.stored(this.gateway, upTo, this.up));
        }
    }
    if (this.syncing.length > 0 || this.waiting.length === 0) return;
    [this.syncing, this.waiting] = [this.waiting, []];
    this.syncedAt = this.up + this.chance.upTo(this.chance.upTo(1) < 0.05 ? 1 : 0.05);
  }

  /** Returns lines as they travel: damaged, and a little later. */
  private sent(write: readonly string[]): readonly Travelling[] {
    if (!this.isLinked) return [];
    return write.map((line) => ({
      at: this.up + 0.01,
      bytes: Uint8Array.from([...asciiBytes(line)].flatMap((byte) => this.damaged(byte))),
    }));
  }

  private damaged(byte: number): readonly number[] {
    if (this.chance.upTo(1) >= this.faults.bytes) return [byte];
    const other = Math.floor(this.chance.upTo(256));
    return this.chance.oneOf([[], [other], [byte, other]]);
  }
}

/** Returns the last numbered observation of each session. */
function lastOfEach(observations: readonly Observation[]): readonly Observation[] {
  return [...new Map(observations.filter(isNumbered).map((each) => [each.session, each])).values()];
}

/** Returns whether an observation takes a number. */
const isNumbered = ({ kind, deviceNumber }: Observation): boolean =>
  typeof deviceNumber === 'number' && (kind === 'report' || kind === 'refused');
