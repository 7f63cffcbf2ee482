import { setImmediate as turn } from 'node:timers/promises';
import type { AnyEvent, Decoded, Decoder } from '#audit';
import type { Identity } from '../../identity/identity.js';
import { Problem } from '../../problems/problems.js';
import { chunksOf, tooMany, type Chunk } from '../body/body-chunks.js';
import type { EventForm } from '../body/event-form.js';
import { FaultList } from './fault-list.js';

/** The most bytes of UTF-8 of a table's name. Longer ones in files are still audited. */
export const TABLE_BYTES_MAX = 200;

/** Returns whether a table's name is longer than a request may have it. */
export const isTableTooLong = (table: string): boolean =>
  table.length * 3 > TABLE_BYTES_MAX && Buffer.byteLength(table) > TABLE_BYTES_MAX;

/** What takes the events of a request that are the sender's to write, in their order. */
export interface Taker {
  /** The most events of one request. */
  readonly most: number;
  /**
   * Takes an event, with its content as ISO 8859-1 text, one character for each byte. `position`
   * is undefined for a single event.
   */
  add(table: string, content: string, position: number | undefined, event: AnyEvent): void;
}

/** Reads the events of one request for a taker, or finds the faults of a refusal. */
export class RequestEvents {
  /** Events read so far. */
  count = 0;
  /** Well-formed events by type. */
  readonly types = new Map<string, number>();
  private readonly malformed = new FaultList();
  private readonly notTheirs = new FaultList();
  constructor(
    private readonly form: EventForm,
    private readonly sender: Identity,
    private readonly taker: Taker,
  ) {}

  /**
   * Reads the whole body. Throws a problem if any event is malformed or not the sender's to write.
   * Then the taker has only some of its events. Other requests get a turn between the chunks of a
   * long body.
   */
  async read(body: Buffer, decoder: Decoder): Promise<void> {
    let turns = 0;
    for (const chunk of chunksOf(this.form, body)) {
      if (turns > 0) await turn();
      turns += 1;
      this.take(chunk, decoder);
    }
    this.judge();
  }

  get malformedCount(): number {
    return this.malformed.events;
  }

  private take({ block, events }: Chunk, decoder: Decoder): void {
    this.count += events.length / 3;
    if (this.count > this.taker.most) throw tooMany(this.taker.most);
    for (let i = 0; i < events.length; i += 3) {
      const from = events[i + 1] as number;
      const to = events[i + 2] as number;
      const decoded = decoder.decode(block, from, to);
      if (decoded.event === undefined)
        this.malformed.add(this.position(events[i] as number), decoded.faults);
      else
        this.takeEvent(
          decoded.event,
          contentOf(decoded, block.text, from, to),
          events[i] as number,
        );
    }
  }

  private takeEvent(event: AnyEvent, content: string, position: number): void {
    this.types.set(event.type, (this.types.get(event.type) ?? 0) + 1);
    if (isTableTooLong(event.table))
      return this.malformed.add(this.position(position), [
        { pointer: '/table', reason: `must be at most ${TABLE_BYTES_MAX} bytes of UTF-8` },
      ]);
    const refused = this.sender.writes.refuses(event);
    if (refused === undefined) {
      if (this.malformed.events === 0 && this.notTheirs.events === 0)
        this.taker.add(event.table, content, this.position(position), event);
    } else
      this.notTheirs.add(this.position(position), [
        {
          pointer: `/${refused}`,
          reason: `"${event[refused]}" is not a ${refused} that ${this.sender.id} may write`,
        },
      ]);
  }

  private judge(): void {
    const { malformed, notTheirs } = this;
    if (malformed.events > 0)
      throw new Problem('malformed-events', malformed.of(this.count, 'malformed'), {
        errors: malformed.errors,
      });
    if (notTheirs.events > 0)
      throw new Problem(
        'source-not-yours',
        notTheirs.of(this.count, "not this identity's to write"),
        { errors: notTheirs.errors },
      );
  }

  private position(position: number): number | undefined {
    return this.form === 'event' ? undefined : position;
  }
}

/**
 * Returns the content of an event as ISO 8859-1 text: the bytes that were sent, if they are
 * canonical.
 */
function contentOf(
  { content }: Decoded & { readonly event: AnyEvent },
  text: string,
  from: number,
  to: number,
): string {
  return content === undefined
    ? text.substring(from, to)
    : Buffer.from(content, 'utf8').toString('latin1');
}
