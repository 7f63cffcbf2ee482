import {
  feedDevice,
  LINE1_EVENTS_MAX,
  powerUp,
  recordEvent,
  type Line1DeviceMemory,
  type Line1DeviceState,
  type Line1DeviceTurn,
} from '../line-1/device.js';
import { asciiBytes } from '../line-1/line-reader.js';
import type { ReportedEvent } from '../observation.js';
import type { EmulatedDevice, EmulatedIdentity } from './emulated-device.js';
import type { EmulatorStep, ReportStep, WireFault } from './step.js';
import type { SentBytes, Wire } from './wire.js';

/** The most cards of a boot that can be moved later. A shoe of 8 decks has 416. */
const CARDS_MAX = 512;

/** The device side of line protocol 1. It keeps its events without power. */
export class EmulatedLine1 implements EmulatedDevice {
  private state: Line1DeviceState | null = null;
  private memory: Line1DeviceMemory = [];
  private boot: number;
  /** A card was drawn while the device had no power. */
  private missedCards = false;
  /** The numbers of this boot's cards, by the names that the schedule has for them. */
  private cards = new Map<string, number>();
  /** What goes wrong with lines that were not sent yet, by their beginning. */
  private readonly faults = new Map<string, WireFault>();

  constructor(
    private readonly identity: EmulatedIdentity,
    private readonly wire: Wire,
  ) {
    this.boot = identity.boot - 1;
  }

  start(up: number): readonly SentBytes[] {
    this.boot += 1;
    this.cards = new Map();
    const { unit, firmware } = this.identity;
    const missed = this.missedCards ? null : 0;
    this.missedCards = false;
    return this.turned(
      powerUp({ unit, firmware, boot: this.boot, memory: this.memory, missed }, up),
    );
  }

  take(step: EmulatorStep, up: number): readonly SentBytes[] {
    if (step.is === 'power') return this.setPower(step.on, up);
    if (step.is === 'report') return this.report(step, up);
    if (step.is === 'clock' && this.state !== null)
      this.state = { ...this.state, bootedAt: up - step.ms / 1000 };
    return [];
  }

  feed(bytes: Uint8Array, up: number): readonly SentBytes[] {
    return this.state === null ? [] : this.turned(feedDevice(this.state, bytes, up));
  }

  waiting(): number {
    const boots = this.state?.boots ?? this.memory;
    return boots.reduce((sum, { events }) => sum + events.length, 0);
  }

  isFull(): boolean {
    return (this.state?.boots.at(-1)?.events.length ?? 0) >= LINE1_EVENTS_MAX;
  }

  private setPower(on: boolean, up: number): readonly SentBytes[] {
    if (on === (this.state !== null)) return [];
    if (on) return this.start(up);
    this.memory = this.state?.boots ?? [];
    this.state = null;
    this.wire.clear();
    return [];
  }

  private report({ event, wire, reference, card }: ReportStep, up: number): readonly SentBytes[] {
    if (this.state === null) {
      this.missedCards ||= event.type === 'card-drawn';
      return [];
    }
    const made = this.withNumber(event, card);
    if (made === undefined) return [];
    const number = (this.state.boots.at(-1)?.last ?? 0) + 1;
    if (wire !== undefined) this.faults.set(`$E,${this.boot},${number},`, wire);
    if (reference !== undefined) this.remember(reference, number);
    return this.turned(recordEvent(this.state, made, up));
  }

  /** Returns a move with the number of its card, or undefined if this boot did not report it. */
  private withNumber(event: ReportedEvent, card: string | undefined): ReportedEvent | undefined {
    if (event.type !== 'card-moved') return event;
    const number = this.cards.get(card ?? '');
    return number === undefined ? undefined : { ...event, data: { ...event.data, number } };
  }

  private remember(reference: string, number: number): void {
    this.cards.set(reference, number);
    const [oldest] = this.cards.keys();
    if (this.cards.size > CARDS_MAX && oldest !== undefined) this.cards.delete(oldest);
  }

  private turned({ state, write }: Line1DeviceTurn): readonly SentBytes[] {
    this.state = state;
    return write.flatMap((line) => {
      const beginning = /^\$E,\d+,\d+,/.exec(line)?.[0] ?? '';
      const fault = this.faults.get(beginning);
      this.faults.delete(beginning);
      return this.wire.send(asciiBytes(line), fault);
    });
  }
}
