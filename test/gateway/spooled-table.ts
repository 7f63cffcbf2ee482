import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpool, type Spool } from '#spool';
import {
  Delivery,
  type DeliveryOptions,
  type DeliveryState,
} from '../../apps/gateway/src/delivery/delivery.js';
import type { EventPosition } from '../../apps/gateway/src/desk/skip.js';
import { eventually } from '../kit/eventually.js';
import { CountingOwner, numbered } from '../spool/counting-owner.js';

const KEY = 'spk_a-key-that-nobody-may-see';

/** Short pauses, so that a test need not wait for them. */
const SHORT = { pauseMs: 4, pauseMsMax: 20, blockedMs: 20, lookMs: 60_000 };

/** A spool in a folder of its own, and its delivery. */
export class SpooledTable {
  /** What the journal of delivery was called with. */
  readonly states: DeliveryState[] = [];
  readonly skipped: EventPosition[] = [];
  delivery!: Delivery;
  private last = 0;
  private stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly folder: string,
    readonly spool: Spool,
  ) {}

  static async open(): Promise<SpooledTable> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-delivery-'));
    const spool = await openSpool({ folder, owner: new CountingOwner(), status: () => null });
    return new SpooledTable(folder, spool);
  }

  /** Appends one line with the next numbers as events. Returns the number of the line. */
  async append(count: number, padding = 0): Promise<number> {
    const frames = Array.from({ length: count }, () => numbered((this.last += 1), padding));
    return (await this.spool.append(frames)).n;
  }

  /** Appends a line whose frame makes no event. */
  async appendNoise(): Promise<number> {
    return (await this.spool.append([{ ...numbered(0), made: [] }])).n;
  }

  /** Starts delivery to an address. */
  deliverTo(
    url: string,
    { ca, times, ...options }: Partial<DeliveryOptions> & { readonly ca?: string } = {},
  ): Delivery {
    this.stopping = new AbortController();
    this.delivery = new Delivery({
      spool: this.spool,
      api: { url, key: KEY, ...(ca !== undefined && { ca }) },
      isSkipped: ({ n, event }) => this.skipped.some((at) => at.n === n && at.event === event),
      journal: (state) => this.states.push(state),
      times: { ...SHORT, ...times },
      ...options,
    });
    this.running = this.delivery.run(this.stopping.signal);
    return this.delivery;
  }

  /** Resolves once everything that was appended is delivered and the cursor is behind it. */
  async delivered(): Promise<void> {
    const { last } = this.spool.figures;
    await eventually(`the delivery of line ${last}`, () => this.spool.figures.sent >= last);
  }

  /** Resolves with the state once it is of a kind. */
  state<K extends DeliveryState['is']>(is: K): Promise<Extract<DeliveryState, { is: K }>> {
    return eventually(`the state ${is}`, () => {
      const { state } = this.delivery;
      return state.is === is ? (state as Extract<DeliveryState, { is: K }>) : undefined;
    });
  }

  /** Stops delivery. Rejects if it ended by a bug. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.spool.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the numbers from 1 on. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
