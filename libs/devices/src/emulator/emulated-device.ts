import { EmulatedAngelEye } from './emulated-angel-eye.js';
import { EmulatedLine1 } from './emulated-line-1.js';
import type { EmulatedProtocol, EmulatorStep } from './step.js';
import { Wire, type SentBytes } from './wire.js';

/** Who an emulated device is. */
export interface EmulatedIdentity {
  readonly unit: string;
  readonly firmware: string;
  /** Its first boot. Each time it gets power, the next one begins. */
  readonly boot: number;
  /** The same seed makes the same rubbish on the line. */
  readonly seed: string;
  /** Whether it sends every message three times. */
  readonly repeats: boolean;
}

/**
 * A device without a clock and a port of its own. Each method returns what the device then sends.
 * `up` is a monotonic clock in seconds.
 */
export interface EmulatedDevice {
  /** Gets power for the first time. */
  start(up: number): readonly SentBytes[];
  /** Takes what happens to the device. It does not notice its cable. */
  take(step: EmulatorStep, up: number): readonly SentBytes[];
  /** Takes bytes of the gateway. Call it with none at least four times a second. */
  feed(bytes: Uint8Array, up: number): readonly SentBytes[];
  /** Returns how many events wait for an acknowledgement. */
  waiting(): number;
  /** Returns whether the next event could push one out that waits. */
  isFull(): boolean;
}

/** Returns the device side of a protocol. */
export function emulatedDevice(
  protocol: EmulatedProtocol,
  identity: EmulatedIdentity,
): EmulatedDevice {
  const wire = new Wire(identity);
  return protocol === 'line-1' ? new EmulatedLine1(identity, wire) : new EmulatedAngelEye(wire);
}
