import { blockOf, type Decoder, type EventType } from '#audit';
import { partitionOf, type Appending } from '#event-log';
import type { Identity } from '../../identity/identity.js';
import { isTableTooLong } from './request-events.js';
import { linesBytes } from './table-records.js';

/**
 * The most tables whose partition is cached, and the longest name of one. A sender may invent
 * names.
 */
const REMEMBERED_MAX = 10_000;
const NAME_LENGTH_MAX = 200;

/** A single decoded event: its type, and what to append. */
export interface Single {
  readonly type: EventType;
  readonly table: string;
  readonly appending: Appending;
}

/**
 * The fast path for live play: one event that is well-formed and the sender's own becomes one
 * record.
 */
export class SingleEvents {
  private readonly partitionsKnown = new Map<string, number>();

  constructor(
    private readonly decoder: Decoder,
    private readonly partitions: number,
  ) {}

  /**
   * Returns what to append, or undefined if the event is refused. `RequestEvents` then finds the
   * reason.
   */
  read(body: Buffer, sender: Identity, stamps: string): Single | undefined {
    const text = body.toString('latin1');
    const { event, content } = this.decoder.decode(blockOf(body, text), 0, body.length) as {
      event?: Parameters<Identity['writes']['refuses']>[0] & { type: EventType };
      content?: string;
    };
    if (event === undefined || sender.writes.refuses(event) !== undefined) return undefined;
    const { type, table } = event;
    if (isTableTooLong(table)) return undefined;
    const value = linesBytes(
      (content === undefined ? text : Buffer.from(content, 'utf8').toString('latin1')).slice(
        0,
        -1,
      ) + stamps,
    );
    return {
      type,
      table,
      appending: {
        partition: this.partitionOf(table),
        records: [{ key: table, value }],
        urgency: 'live',
      },
    };
  }

  private partitionOf(table: string): number {
    let partition = this.partitionsKnown.get(table);
    if (partition === undefined) {
      partition = partitionOf(table, this.partitions);
      if (this.partitionsKnown.size >= REMEMBERED_MAX) this.partitionsKnown.clear();
      if (table.length <= NAME_LENGTH_MAX) this.partitionsKnown.set(table, partition);
    }
    return partition;
  }
}
