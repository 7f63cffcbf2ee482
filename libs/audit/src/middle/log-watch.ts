import { admit, newAdmission, turnIds, type Admitting } from '../admission/admission.js';
import { hear, sentUpTo, type KnownSource } from '../admission/sources.js';
import { isReview, referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { SHOES_MAX } from '../fold.js';
import type { MessageKind } from '../admission/message-kinds.js';

/** A shoe as its table's log opens it. */
export interface OpenedShoe {
  /** The reference of its opening. */
  readonly ref: string;
  readonly name: string;
  /** The first record that the table held back when the opening was admitted; else the opening's. */
  readonly first: number;
  /** The record with which the opening was admitted. */
  readonly admitted: number;
}

/**
 * Follows a table's log as the fold does, up to admission: which events count, in which order, and
 * which shoes they open. Judges nothing. What it keeps is bounded as in the fold.
 */
export abstract class LogWatch implements Admitting {
  protected readonly admission = newAdmission();
  protected readonly sources: KnownSource[] = [];
  /** The record of the opening of each of the last shoes, by name, oldest first. */
  protected readonly shoes = new Map<string, number>();
  /** The record that is taken now. */
  protected record = -1;
  /** The last record that began while the table held nothing back. */
  protected quiet = 0;

  /** Takes the next event of the table, and the number of the record that holds it. */
  take(event: AnyEvent, record: number): void {
    if (record !== this.record) this.begin(record);
    positioned(event, record);
    if (!isReview(event)) this.arrive(event);
  }

  protected begin(record: number): void {
    this.record = record;
    if (!this.admission.wait) this.quiet = record;
  }

  protected arrive(event: AnyEvent): void {
    admit(this.admission, event, this);
  }

  admitted(event: AnyEvent): void {
    hear(this.sources, event, this.admission.counts.admitted);
    if (event.type === 'shoe-opened') this.openShoe(event);
  }

  private openShoe(event: EventOf<'shoe-opened'>): void {
    const name = event.shoe as string;
    if (this.shoes.has(name)) return;
    this.shoes.set(name, recordOf(event));
    if (this.shoes.size > SHOES_MAX) this.shoes.delete(this.shoes.keys().next().value as string);
    turnIds(this.admission, event);
    const { quiet, record } = this;
    this.opened({ ref: referenceOf(event), name, first: quiet, admitted: record });
  }

  gap(after: AnyEvent, _boot: number, from: number, to: number): void {
    this.missed(after, [from, to], sentUpTo(this.sources, after, from));
  }

  late(_event: AnyEvent): void {
    // what came too late changes nothing that is watched here
  }

  equivocal(_event: AnyEvent): void {
    // nor does what contradicts an earlier event
  }

  /** A shoe was opened. */
  protected abstract opened(shoe: OpenedShoe): void;

  /** Numbers before an event never came. They may hide these kinds of message. */
  protected abstract missed(
    after: AnyEvent,
    numbers: readonly [from: number, to: number],
    kinds: readonly MessageKind[],
  ): void;
}

/** Keeps with an event the number of its record. */
const positioned = (event: { position?: number | undefined }, record: number): void =>
  void (event.position = record);

/** Returns the number of the record that holds a watched event. */
export const recordOf = ({ position }: Pick<AnyEvent, 'position'>): number => position as number;
