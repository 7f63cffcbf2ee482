import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { EmulatedDevice, EmulatorStep, ScheduledStep, SentBytes } from '#devices';
import type { DevicePort } from './ports/port.js';

/** How often a device looks at its clock. It must at least four times a second. */
const TICK_MS = 50;
/** How often a player looks whether it may go on. */
const LOOK_MS = 5;
/** How long a device waits for an acknowledgement of any of its events before it gives up. */
const STUCK_MS_MAX = 60_000;

/** A gateway that acknowledges nothing more. */
export class Unacknowledged extends Error {
  override readonly name = 'Unacknowledged';
}

const now = (): number => performance.now() / 1_000;

/** Plays an emulated device on a port. */
export class Player {
  private readonly queue: SentBytes[] = [];
  private isSending = false;
  private isIn = true;
  private isStarted = false;
  private port: DevicePort | undefined;
  private readonly timer;

  constructor(
    private readonly device: EmulatedDevice,
    private readonly signal: AbortSignal,
  ) {
    this.timer = setInterval(() => this.heard(new Uint8Array()), TICK_MS);
    signal.addEventListener('abort', () => clearInterval(this.timer));
  }

  /** Takes bytes of the gateway. */
  heard(bytes: Uint8Array): void {
    if (this.isStarted) this.send(this.device.feed(bytes, now()));
  }

  /** Connects the device to a port, before anything else. */
  connect(port: DevicePort): void {
    this.port = port;
  }

  /** Gives the device power. */
  start(): void {
    this.isStarted = true;
    this.send(this.device.start(now()));
  }

  /** Lets something happen to the device. */
  take(step: EmulatorStep): void {
    if (step.is === 'cable') {
      this.isIn = step.in;
      this.port?.setCable(step.in);
      return;
    }
    if (step.is === 'power' && !step.on) this.queue.length = 0;
    this.send(this.device.take(step, now()));
  }

  /**
   * Plays a schedule `speed` times as fast as at a table, and waits until what needs it is
   * acknowledged. The schedule waits while bytes are on their way, and while the device has no
   * room. Throws `Unacknowledged` if the gateway acknowledges nothing for a minute.
   */
  async play(steps: readonly ScheduledStep[], speed: number): Promise<void> {
    let started = now();
    for (const { at, step } of steps) {
      const early = (started + at / speed - now()) * 1_000;
      await (early > 1 ? pause(early, undefined, { signal: this.signal }) : turn());
      const waits = now();
      if (await this.until(() => this.hasRoom())) started += now() - waits;
      this.take(step);
    }
    await this.until(() => this.queue.length === 0 && this.device.waiting() === 0);
  }

  private hasRoom(): boolean {
    return !this.isSending && !(this.isIn && this.device.isFull());
  }

  /** Waits for a condition, and returns whether that took any time. */
  private async until(isSo: () => boolean): Promise<boolean> {
    if (isSo()) return false;
    let before = this.device.waiting() + this.queue.length;
    let since = performance.now();
    while (!isSo()) {
      await pause(LOOK_MS, undefined, { signal: this.signal });
      const waiting = this.device.waiting() + this.queue.length;
      if (waiting < before) since = performance.now();
      before = waiting;
      if (performance.now() - since > STUCK_MS_MAX)
        throw new Unacknowledged(
          `the gateway acknowledged nothing for ${STUCK_MS_MAX / 1_000} s; ${this.device.waiting()} events wait`,
        );
    }
    return true;
  }

  private send(sent: readonly SentBytes[]): void {
    this.queue.push(...sent);
    if (!this.isSending) void this.sendQueue();
  }

  /** Sends in order, and at once where no pause is asked for. */
  private async sendQueue(): Promise<void> {
    this.isSending = true;
    try {
      for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
        if (next.pause > 0) await pause(next.pause * 1_000, undefined, { signal: this.signal });
        this.port?.write(next.bytes);
      }
    } catch (error) {
      if (!this.signal.aborted) throw error;
    } finally {
      this.isSending = false;
    }
  }
}
