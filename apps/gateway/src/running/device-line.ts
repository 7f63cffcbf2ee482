import type { Observation } from '#devices';
import type { DeviceConfiguration } from '../configuration/configuration.js';
import type { DeviceSnapshot } from '../health/snapshot.js';
import { Legibility } from '../ports/legibility.js';
import type { Port, PortListener } from '../ports/port.js';
import type { ProtocolSide } from './protocol-side.js';

/**
 * How much of a device may wait for the disk before it is paused, and when it continues, in bytes
 * of the spool. A spool takes 1 MiB at once, and no device may use all of it.
 */
const WAITING_BYTES_MAX = 32 * 1024;
const WAITING_BYTES_LOW = 8 * 1024;
/** Each byte of garbage can become hundreds of bytes, so bytes are taken in pieces. */
const PIECE_BYTES = 1024;

/** Receives what a device says. */
export interface LineHearing {
  opened(line: DeviceLine): void;
  lost(line: DeviceLine, reason: string): void;
  heard(line: DeviceLine, observations: readonly Observation[]): void;
  /** A connection to the port was refused. */
  refused(line: DeviceLine, peer: string, reason: string): void;
}

/** A device of the table with its port and the gateway's side of its protocol. */
export class DeviceLine implements PortListener {
  readonly name: string;
  /** Frames that found no room in the spool. */
  unrecorded = 0;
  /** Whether the link changed and there was no room to record it. */
  hasChanged = false;
  isUp = false;
  private why: string | undefined;
  private port: Port | undefined;
  private heardAt: number | null = null;
  private readonly frames = { ok: 0, damaged: 0, none: 0 };
  private lostCount = 0;
  private waitingBytes = 0;
  private isPaused = false;
  /** Bytes that came and are not taken, because what came before waits for the disk. */
  private readonly inbox: { readonly bytes: Uint8Array; readonly up: number }[] = [];
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

  /** Opens the port over which the device is heard from now on. */
  async open(openPort: (listener: PortListener) => Promise<Port>): Promise<void> {
    this.port = await openPort(this);
  }

  /** Closes the port, and takes what came until then. */
  async close(): Promise<void> {
    await this.port?.close();
    this.take(() => true);
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
    this.take(() => true);
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
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      this.inbox.push({ bytes: bytes.subarray(at, at + PIECE_BYTES), up });
    this.take(() => !this.isPaused);
  }

  /** Does what the protocol has due. Call it at least four times a second. */
  tick(up: number): void {
    if (this.inbox.length === 0) this.feed(new Uint8Array(), up);
  }

  /** Notes that bytes wait for the disk, or no longer do. A device that is too far ahead waits. */
  wait(bytes: number): void {
    this.waitingBytes += bytes;
    if (!this.isPaused && this.waitingBytes > WAITING_BYTES_MAX) {
      this.isPaused = true;
      this.port?.pause();
    } else if (this.isPaused && this.waitingBytes < WAITING_BYTES_LOW) {
      this.isPaused = false;
      if (this.take(() => !this.isPaused)) this.port?.resume();
    }
  }

  /**
   * Takes the bytes that came, in order, as long as it may. Returns whether it may take more: the
   * last of them can be one too many.
   */
  private take(may: () => boolean): boolean {
    while (may()) {
      const piece = this.inbox.shift();
      if (piece === undefined) return true;
      this.feed(piece.bytes, piece.up);
    }
    return false;
  }

  private feed(bytes: Uint8Array, up: number): void {
    const observations = this.side.feed(bytes, up);
    this.count(observations, bytes.length, up);
    if (observations.length > 0) this.hearing.heard(this, observations);
  }

  /** Counts frames that were heard and are lost, beside those that the decoder missed. */
  lose(count: number): void {
    this.lostCount += count;
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
