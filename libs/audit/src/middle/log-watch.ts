import {
  admit,
  newAdmission,
  sessionOf,
  type Admitting,
  type Session,
} from '../admission/admission.js';
import { canName, turnIds } from '../admission/ids-in-reach.js';
import { hear, sentUpTo, type KnownSource } from '../admission/sources.js';
import { isReview, referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import { timeOf } from '../events/time.js';
import { SHOES_MAX } from '../fold.js';
import type { MessageKind } from '../admission/message-kinds.js';
import { Fresh } from './fresh.js';
import { forgetOldest } from '../forget-oldest.js';

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

/** Where reading a log begins. */
export interface NearStart {
  readonly start: number;
  /** The records of openings before, by the shoe. */
  readonly earlier: ReadonlyMap<string, number>;
}

/** A log that is read from its beginning. */
export const FROM_ZERO: NearStart = { start: 0, earlier: new Map() };

/** Events after which every wait has ended that was there before the first of them. */
const WAITS_END = 64;

/** Returns whether an event is known to be in no record before the start. Can become true later. */
export type IsFresh = () => boolean;

/**
 * Follows a table's log as the fold does, up to admission: which events count, in which order, and
 * which shoes they open. Judges nothing. What it keeps is bounded as in the fold.
 *
 * A watch may begin near the records that it is asked for instead of at record 0. It takes a
 * session that it first hears at a higher number as begun before. `isSure` says whether the records
 * before `start` could not change what the watch has seen.
 */
export abstract class LogWatch implements Admitting {
  protected readonly admission = newAdmission();
  protected readonly sources: KnownSource[] = [];
  /** The record of the opening of each of the last shoes, by name, oldest first. */
  protected readonly shoes = new Map<string, number>();
  /** The record that is taken now. */
  protected record = -1;
  /** The last record that began while the table held nothing back. */
  protected quiet: number;
  /** Whether something was seen that the records before the start could explain otherwise. */
  protected isInDoubt = false;
  /** Events since the start, or since a session was heard that may have lost its first numbers. */
  private events = 0;
  /** How many shoes were opened since the start. */
  protected openings = 0;
  /** The last shoe in which each source drew a card. */
  private readonly drawn = new Map<string, string>();
  private readonly begun = new WeakMap<Session, number>();
  private readonly fresh = new Fresh();
  /** The latest time of a shoe that was opened or closed since the start, in milliseconds. */
  private shoeTime = -Infinity;
  /** The session in which each source last came online. */
  private readonly online = new WeakMap<KnownSource, string | undefined>();

  protected readonly start: number;

  constructor({ start, earlier }: NearStart) {
    this.start = start;
    this.quiet = start;
    for (const [name, record] of earlier) this.shoes.set(name, record);
  }

  /** Whether the watch saw all that it could have seen from record 0 on. */
  get isSure(): boolean {
    return this.start === 0 || !this.isInDoubt;
  }

  /** Whether enough was seen to know that the table holds nothing back from before the start. */
  protected get isPastWaits(): boolean {
    return this.start === 0 || this.events > WAITS_END;
  }

  /** Takes the next event of the table, which the record that began last holds. */
  take(event: AnyEvent): void {
    positioned(event, this.record);
    this.events += 1;
    if (isReview(event)) return;
    if (this.start === 0) return this.arrive(event);
    if (event.sequence !== undefined) this.meet(event, event.sequence);
    const hasWaited = this.admission.wait !== null;
    this.arrive(event);
    // what was sent again neither begins, ends nor joins a wait
    if ((hasWaited || this.admission.wait) && !this.freshness(event)()) this.isInDoubt = true;
  }

  /** Returns whether an event that was taken is known to be fresh, now or later. */
  protected freshness(event: AnyEvent): IsFresh {
    const { start, fresh } = this;
    const { sequence, shoe } = event;
    if (start === 0 || (shoe !== undefined && this.isNewShoe(shoe))) return () => true;
    // ids reach back over two openings
    const isPastIds = this.openings >= 2;
    if (sequence === undefined) return () => isPastIds;
    const session = this.sessionHeard(event);
    return () => session !== undefined && fresh.has(session, sequence);
  }

  /** Returns whether a shoe was opened since the start. */
  private isNewShoe(name: string): boolean {
    return (this.shoes.get(name) ?? -1) >= this.start;
  }

  /** Returns the session of a numbered event; undefined if it is not remembered. */
  protected sessionHeard({ source, session }: AnyEvent): Session | undefined {
    return this.admission.sessions.find(
      (each) => each.source === source && each.session === session,
    );
  }

  /**
   * Takes a session that is first heard at a higher number as begun before the start. What comes
   * from an old session of a source may have been sent again, or too late.
   */
  private meet(event: AnyEvent, sequence: number): void {
    const { admission, begun } = this;
    const isOfSource = ({ source }: Session): boolean => source === event.source;
    const known = this.sessionHeard(event);
    if (known) {
      const isLatest = admission.sessions.find(isOfSource) === known;
      if (!isLatest || sequence < (begun.get(known) ?? 0)) this.isInDoubt = true;
      return;
    }
    // so may a sign-on in a session that ends here
    const source = this.sources.find((each) => each.source === event.source);
    if (source?.sent.includes('people')) this.isInDoubt = true;
    if (sequence > 1) {
      const fresh = sessionOf(this.admission, event);
      fresh.next = sequence;
      begun.set(fresh, sequence);
      // or its first numbers are lost, and the table waits for them
      this.events = 0;
    }
    this.firstHeard(event);
  }

  /** Begins the next record. One whose lines nobody judges has no event. */
  begin(record: number): void {
    this.record = record;
    if (!this.admission.wait) this.quiet = record;
  }

  protected arrive(event: AnyEvent): void {
    admit(this.admission, event, this);
  }

  admitted(event: AnyEvent): void {
    if (event.type === 'device-online' || event.type === 'device-offline') this.judgeOutage(event);
    const known = hear(this.sources, event, this.admission.counts.admitted);
    if (event.type === 'device-online') this.online.set(known, event.session);
    if (event.type === 'card-drawn' && event.shoe !== undefined) this.draw(event, event.shoe);
    if (event.type === 'shoe-opened') this.openShoe(event);
    if (event.type === 'shoe-closed') this.passTime(event);
    this.keepFresh(event);
  }

  private draw(event: AnyEvent, shoe: string): void {
    this.drawn.set(event.source, shoe);
    // a card of an old shoe that was sent again hides in which shoe its source drew last
    if (this.start > 0 && this.openings > 0 && !this.freshness(event)()) this.isInDoubt = true;
  }

  private keepFresh(event: AnyEvent): void {
    const { shoe, sequence } = event;
    if (this.start === 0 || shoe === undefined || sequence === undefined) return;
    const session = this.sessionHeard(event);
    if (session) this.fresh.take(session, sequence, this.isNewShoe(shoe));
  }

  /** Finds out whether a source that came online or went offline may have missed cards. */
  private judgeOutage(event: EventOf<'device-online'> | EventOf<'device-offline'>): void {
    const { source } = event;
    const known = this.sources.find((each) => each.source === source);
    const missed =
      event.type === 'device-online' ? event.data.missed : known?.saysMissed ? null : undefined;
    // what its source said last may lie before the start, or be of another session sent again
    const hasSaid = known?.saysMissed !== undefined && this.online.get(known) === event.session;
    if (event.type === 'device-offline' && !hasSaid) this.isInDoubt = true;
    if (missed === undefined || missed === 0) return;
    const last = [...this.shoes.keys()].slice(-2);
    if (last.includes(this.drawn.get(source) ?? ''))
      this.outage(event, sentUpTo(this.sources, event, Infinity));
    else if (this.openings < 2) this.isInDoubt = true;
  }

  private openShoe(event: EventOf<'shoe-opened'>): void {
    const name = event.shoe as string;
    if (this.shoes.has(name) || !canName(this.admission, event, this)) return;
    this.shoes.set(name, recordOf(event));
    forgetOldest(this.shoes, SHOES_MAX);
    turnIds(this.admission, event);
    this.openings += 1;
    this.passTime(event);
    for (const [source, shoe] of this.drawn) if (!this.shoes.has(shoe)) this.drawn.delete(source);
    const { quiet, record } = this;
    this.opened({ ref: referenceOf(event), name, first: quiet, admitted: record });
  }

  private passTime({ time }: AnyEvent): void {
    const instant = timeOf(time) ?? Infinity;
    // an opening that came too late opens nothing, and only its time shows it here
    if (instant < this.shoeTime) this.isInDoubt = true;
    else this.shoeTime = instant;
  }

  gap(after: AnyEvent, _boot: number, from: number, to: number): void {
    this.missed(after, [from, to], sentUpTo(this.sources, after, from));
  }

  late(_event: AnyEvent): void {
    // what came too late changes nothing that is watched here
  }

  equivocal(_event: AnyEvent, _under: 'number' | 'id'): void {
    // nor does what contradicts an earlier event
  }

  /** A session is heard that was not heard since the start, which is not record 0. */
  protected firstHeard(_event: AnyEvent): void {
    // where it was heard before matters only to what chooses records
  }

  /** A shoe was opened. */
  protected abstract opened(shoe: OpenedShoe): void;

  /** A source came online or went offline, and may have missed these kinds of message. */
  protected abstract outage(event: AnyEvent, kinds: readonly MessageKind[]): void;

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
