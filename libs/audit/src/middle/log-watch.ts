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
  private events = 0;
  /** How many shoes were opened since the start. */
  protected openings = 0;
  /** The last shoe in which each source drew a card. */
  private readonly drawn = new Map<string, string>();
  private readonly begun = new WeakMap<Session, number>();

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

  /** Takes the next event of the table, and the number of the record that holds it. */
  take(event: AnyEvent, record: number): void {
    if (record !== this.record) this.begin(record);
    positioned(event, record);
    this.events += 1;
    if (isReview(event)) return;
    if (this.start > 0 && event.sequence !== undefined) this.meet(event, event.sequence);
    this.arrive(event);
  }

  /**
   * Takes a session that is first heard at a higher number as begun before the start. What comes
   * from an old session of a source may have been sent again, or too late.
   */
  private meet(event: AnyEvent, sequence: number): void {
    const { admission, begun } = this;
    const isOfSource = ({ source }: Session): boolean => source === event.source;
    const isIt = (each: Session): boolean => isOfSource(each) && each.session === event.session;
    const known = admission.sessions.find(isIt);
    if (known) {
      const isLatest = admission.sessions.find(isOfSource) === known;
      if (!isLatest || sequence < (begun.get(known) ?? 0)) this.isInDoubt = true;
      return;
    }
    // so may a sign-on in a session that ends here
    const source = this.sources.find((each) => each.source === event.source);
    if (source?.sent.includes('people')) this.isInDoubt = true;
    if (sequence > 1) {
      const fresh = sessionOf(admission, event);
      fresh.next = sequence;
      begun.set(fresh, sequence);
    }
    this.firstHeard(event);
  }

  protected begin(record: number): void {
    this.record = record;
    if (!this.admission.wait) this.quiet = record;
  }

  protected arrive(event: AnyEvent): void {
    admit(this.admission, event, this);
  }

  admitted(event: AnyEvent): void {
    if (event.type === 'device-online' || event.type === 'device-offline') this.judgeOutage(event);
    hear(this.sources, event, this.admission.counts.admitted);
    if (event.type === 'card-drawn' && event.shoe !== undefined)
      this.drawn.set(event.source, event.shoe);
    if (event.type === 'shoe-opened') this.openShoe(event);
  }

  /** Finds out whether a source that came online or went offline may have missed cards. */
  private judgeOutage(event: EventOf<'device-online'> | EventOf<'device-offline'>): void {
    const { source } = event;
    const known = this.sources.find((each) => each.source === source);
    const missed =
      event.type === 'device-online' ? event.data.missed : known?.saysMissed ? null : undefined;
    if (event.type === 'device-offline' && known?.saysMissed === undefined) this.isInDoubt = true;
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
    if (this.shoes.size > SHOES_MAX) this.shoes.delete(this.shoes.keys().next().value as string);
    turnIds(this.admission, event);
    this.openings += 1;
    for (const [source, shoe] of this.drawn) if (!this.shoes.has(shoe)) this.drawn.delete(source);
    const { quiet, record } = this;
    this.opened({ ref: referenceOf(event), name, first: quiet, admitted: record });
  }

  gap(after: AnyEvent, _boot: number, from: number, to: number): void {
    // an old buffer that was sent again ends with a gap, if its end was not the end of its session
    const session = this.admission.sessions[0];
    if (session && this.begun.delete(session)) this.isInDoubt = true;
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
