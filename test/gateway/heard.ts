import type { PortListener } from '../../apps/gateway/src/ports/port.js';
import { eventually } from '../kit/eventually.js';

/** How much text is kept. */
const TEXT_MAX = 100_000;

/** A listener that keeps what a port passes on. */
export class Heard implements PortListener {
  /** The changes of the link in their order, such as `opened 127.0.0.1:4711`. */
  readonly changes: string[] = [];
  /** The first bytes that came, one character each. */
  text = '';
  /** How many bytes came. */
  count = 0;
  /** When the last bytes came. */
  up = 0;

  opened(peer: string | null): void {
    this.changes.push(`opened ${peer}`);
  }

  bytes(bytes: Uint8Array, up: number): void {
    this.count += bytes.length;
    this.up = up;
    if (this.text.length < TEXT_MAX) this.text += Buffer.from(bytes).toString('latin1');
  }

  lost(reason: string): void {
    this.changes.push(`lost ${reason}`);
  }

  refused(peer: string, reason: string): void {
    this.changes.push(`refused ${peer} ${reason}`);
  }

  /** Waits until there are `count` changes and the last of these fits. Returns all changes. */
  until(count: number, last: RegExp): Promise<readonly string[]> {
    return eventually(`change ${count} of a link, ${last}`, () => {
      if (last.test(this.changes[count - 1] ?? '')) return this.changes;
      throw new Error(`so far: ${this.changes.join('; ')}`);
    });
  }
}
