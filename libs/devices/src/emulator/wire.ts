import { Chance } from './chance.js';
import type { WireFault } from './step.js';

/** How often a device sends a message that it repeats. */
const COPIES = 3;
/** Seconds between two bytes that come one by one. */
const PAUSE = 0.1;
/** The most random bytes before a message. */
const RUBBISH_MAX = 40;

/** Bytes that leave a device together. */
export interface SentBytes {
  readonly bytes: Uint8Array;
  /** Seconds of silence before them. */
  readonly pause: number;
}

/** The line behind a device, on which messages are damaged. */
export class Wire {
  private held: readonly SentBytes[] = [];
  private readonly chance: Chance;
  private readonly copies: number;

  constructor({ seed, repeats }: { readonly seed: string; readonly repeats: boolean }) {
    this.chance = new Chance(`wire ${seed}`);
    this.copies = repeats ? COPIES : 1;
  }

  /** Returns what leaves the line when the device sends a message. */
  send(message: Uint8Array, fault?: WireFault): readonly SentBytes[] {
    const copies = Array.from({ length: this.copies }, () => ({ bytes: message, pause: 0 }));
    if (fault === 'lost') return [];
    if (fault === 'swap') {
      this.held = [...this.held, ...copies];
      return [];
    }
    const pieces = [...this.damaged(message, copies, fault), ...this.held];
    this.held = [];
    return pieces;
  }

  /** Forgets what waits on the line: its device has no power any more. */
  clear(): void {
    this.held = [];
  }

  private damaged(
    message: Uint8Array,
    copies: readonly SentBytes[],
    fault: WireFault | undefined,
  ): readonly SentBytes[] {
    if (fault === 'double') return [...copies, ...copies];
    if (fault === 'rubbish') return [this.rubbish(), ...copies];
    if (fault !== 'slow') return copies;
    const slow = Array.from(message, (byte) => ({ bytes: Uint8Array.of(byte), pause: PAUSE }));
    return [...slow, ...copies.slice(1)];
  }

  private rubbish(): SentBytes {
    const length = 1 + this.chance.below(RUBBISH_MAX);
    const bytes = Uint8Array.from({ length }, () => this.chance.below(256));
    return { bytes, pause: 0 };
  }
}
