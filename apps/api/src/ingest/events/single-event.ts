import { blockOf, type Decoder, type EventType } from '#audit';
import { partitionOf, type Appending } from '#event-log';
import type { Identity } from '../../identity/identity.js';
import { linesBytes } from './table-records.js';

/** Tables whose partition is remembered, none with a longer name: a sender may make names up. */
const REMEMBERED_MAX = 10_000;
const NAME_LENGTH_MAX = 200;

/** A single event read: its type, and what is to be appended. */
export interface Single {
  readonly type: EventType;
  readonly appending: Appending;
}

/** The short way for what live play sends: one event, well-formed and the sender's own, as one record. */
export class SingleEvents {
  private readonly partitionsKnown = new Map<string, number>();

  constructor(
    private readonly decoder: Decoder,
    private readonly partitions: number,
  ) {}

  /** What is to be appended; `undefined` where the event is refused, and the long way says why. */
  read(body: Buffer, sender: Identity, stamps: string): Single | undefined {
    const text = body.toString('latin1');
    const { event, content } = this.decoder.decode(blockOf(body, text), 0, body.length) as {
      event?: Parameters<Identity['writes']['refuses']>[0] & { type: EventType };
      content?: string;
    };
    if (event === undefined || sender.writes.refuses(event) !== undefined) return undefined;
    const { type, table } = event;
    const value = linesBytes(
      (content === undefined ? text : Buffer.from(content, 'utf8').toString('latin1')).slice(
        0,
        -1,
      ) + stamps,
    );
    return {
      type,
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
