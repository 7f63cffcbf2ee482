import type { PortConfiguration } from '../configuration/configuration.js';
import { type Attempt, KeptPort, type RetryMs } from './kept-port.js';
import { Links } from './links.js';
import { dialSerial } from './serial.js';
import { dialTcp, listenTcp } from './tcp.js';

export { PortHeld } from './port-held.js';

/**
 * Takes what a port passes on. A port calls it only after `openPort` has resolved, and never after
 * `close`.
 */
export interface PortListener {
  /**
   * The link is there: the device file is open, or a connection. `peer` is the other side's address
   * and port, or null for a serial port.
   */
  opened(peer: string | null): void;
  /** Bytes came. `up` is when, by the monotonic clock in seconds (`performance.now() / 1000`). */
  bytes(bytes: Uint8Array, up: number): void;
  /**
   * The link was lost, or the first one could not be made. `reason` says why in words. It is called
   * once for each change, and not for each try to make the link again.
   */
  lost(reason: string): void;
  /** A connection was closed at once. `reason` says why in words. */
  refused?(peer: string, reason: string): void;
}

/** A port of the gateway. It makes a lost link again by itself until it is closed. */
export interface Port {
  /**
   * Writes text in ASCII, or does nothing while the link is lost. A peer that leaves 64 KiB unread
   * loses its link. Throws for a port that was opened without `writes`.
   */
  write(text: string): void;
  /**
   * Stops reading. At most 64 KiB are held here then. A TCP peer has to wait. A serial line cannot
   * wait: the kernel holds some KiB and drops what comes after them. A link that breaks meanwhile
   * may show only after `resume`.
   */
  pause(): void;
  /** Reads again, also on a link that was made meanwhile. */
  resume(): void;
  /** Closes the link and stops making it again. Resolves once nothing of it is open. */
  close(): Promise<void>;
}

/** How a port is opened. */
export interface PortOptions {
  /** `false` is receive-only: the port never writes a byte, whatever it is asked. */
  readonly writes: boolean;
  readonly retryMs?: RetryMs;
}

/**
 * Opens a port and keeps it open. Resolves once it is known that no other process holds it, whether
 * the link is there or not. Throws `PortHeld` if another process does, and `Refusal` if this
 * machine has no serial ports for this program.
 */
export async function openPort(
  configuration: PortConfiguration,
  { writes, retryMs }: PortOptions,
  listener: PortListener,
): Promise<Port> {
  const links = new Links(listener, writes);
  const port = new KeptPort(links, attemptAt(configuration, links), retryMs);
  if ('connect' in configuration) port.begin();
  else await port.start();
  return port;
}

function attemptAt(configuration: PortConfiguration, links: Links): Attempt {
  if ('serial' in configuration) return () => dialSerial(configuration);
  if ('connect' in configuration) return (stop) => dialTcp(configuration, stop);
  return () => listenTcp(configuration, links);
}
