import type { Observation } from '#devices';
import type { DeviceConfiguration } from '../configuration/configuration.js';
import type { DeviceSnapshot } from '../health/snapshot.js';
import { Legibility } from '../ports/legibility.js';
import type { Port, PortListener } from '../ports/port.js';
import type { ProtocolSide } from './protocol-side.js';

/** Bytes that may wait for the disk before a port is paused, and until it goes on. */
const WAITING_BYTES_MAX = 256 * 1024;
const WAITING_BYTES_LOW = 64 * 1024;

/** Takes what a device says. */
export interface LineHearing {
  opened(line: DeviceLine): void;
  lost(line: DeviceLine, reason: string): void;
  heard(line: DeviceLine, observations: readonly Observation[], bytes: number): void;
  /** A connection to the port was refused. */
  refused(line: DeviceLine, peer: string, reason: string): void;
}

/** A device of the table with its port and the gateway's side of its protocol. */
export class DeviceLine implements PortListener {
  readonly name: string;
  /** Frames that found no room in the spool. */
  unrecorded = 0;
  /** Whether the link changed while nothing could be recorded. */
  hasChanged = false;
  isUp = false;
  private why: string | undefined;
  private port: Port | undefined;
  private heardAt: number | null = null;
  private readonly frames = { ok: 0, damaged: 0, none: 0 };
  private lostCount = 0;
  private waitingBytes = 0;
  private isPaused = false;
  private readonly legibility: Legibility;

  constructor(
    private readonly device: DeviceConfiguration,
    readonly side: ProtocolSide,
    private readonly hearing: LineHearing,
    private readonly wall: () => number,
  ) {
    this.name = device.name;
    this.legibility = new Legibility(device);
  }

  /** Whether the gateway may write to the device. */
  get isAnswered(): boolean {
    return this.device.protocol === 'line-1' && !this.device.listenOnly;
  }

  /** Opens the port by which the device is heard from now on. */
  async open(openPort: (listener: PortListener) => Promise<Port>): Promise<void> {
    this.port = await openPort(this);
  }

  async close(): Promise<void> {
    await this.port?.close();
  }

  /** Writes to a device that is answered. */
  write(text: string): void {
    if (this.isAnswered) this.port?.write(text);
  }

  opened(): void {
    this.isUp = true;
    this.why = undefined;
    this.hearing.opened(this);
  }

  lost(reason: string): void {
    this.isUp = false;
    this.why = reason;
    this.side.lost();
    this.hearing.lost(this, reason);
  }

  refused(peer: string, reason: string): void {
    this.hearing.refused(this, peer, reason);
  }

  bytes(bytes: Uint8Array, up: number): void {
    this.heardAt = this.wall();
    const observations = this.side.feed(bytes, up);
    this.count(observations, bytes.length, up);
    this.hearing.heard(this, observations, bytes.length);
  }

  /** Lets the protocol do what is due. Call it at least four times a second. */
  tick(up: number): void {
    const observations = this.side.feed(new Uint8Array(), up);
    this.count(observations, 0, up);
    if (observations.length > 0) this.hearing.heard(this, observations, 0);
  }

  /** Takes that bytes wait for the disk, or no longer do. A port that is too far ahead waits. */
  wait(bytes: number): void {
    this.waitingBytes += bytes;
    if (!this.isPaused && this.waitingBytes > WAITING_BYTES_MAX) this.port?.pause();
    if (this.isPaused && this.waitingBytes < WAITING_BYTES_LOW) this.port?.resume();
    this.isPaused = this.waitingBytes > (this.isPaused ? WAITING_BYTES_LOW : WAITING_BYTES_MAX);
  }

  /** Returns the device as it is now. */
  snapshot(): DeviceSnapshot {
    const problem = this.legibility.problem();
    return {
      ...{ name: this.name, protocol: this.device.protocol, link: this.isUp ? 'up' : 'down' },
      ...(this.why === undefined ? {} : { why: this.why }),
      ...{ heardAt: this.heardAt, frames: { ...this.frames }, lost: this.lostCount },
      ...(problem === undefined ? {} : { problem }),
    };
  }

  private count(observations: readonly Observation[], bytes: number, up: number): void {
    const whole = observations.filter(({ integrity, raw }) => integrity === 'ok' && raw !== '');
    this.legibility.heard(bytes, whole.length, up);
    for (const { kind, fields, integrity, raw } of observations) {
      if (raw !== '') this.frames[integrity] += 1;
      if (kind === 'lost') this.lostCount += fields.count;
    }
  }
}
