import { CONTENTS_MAX, type Session } from '../admission/admission.js';
import { kindsOf, type MessageKind } from '../admission/message-kinds.js';
import type { KnownSource } from '../admission/sources.js';
import { referenceOf, type AnyEvent, type EventOf } from '../events/events.js';
import {
  FROM_ZERO,
  LogWatch,
  recordOf,
  type IsFresh,
  type NearStart,
  type OpenedShoe,
} from './log-watch.js';
import { forgetOldest } from '../forget-oldest.js';

/** What a range needs of the log before it. */
export interface ContextChosen {
  /** The records to pass to `tableFrom`, in the order of the log. */
  readonly records: readonly number[];
  /**
   * The record with which the range must begin instead, because no record shows what judging needs:
   * the table held events back there, or declared a number missing that comes late in the range.
   * Null if the range can begin as asked.
   */
  readonly back: number | null;
  /**
   * Whether reading from record 0 on chooses the same, but for records that change nothing
   * that is listed: who signed on as caller, and that a device restarted.
   */
  readonly isSure: boolean;
}

/** Who is on duty in a role: the record of the sign-on, or of the relief (then nobody). */
interface OnDuty {
  readonly record: number;
  readonly dealer: string;
  readonly isFresh: IsFresh;
}

/** Sessions of a range that are kept because they may be old ones that were sent again. */
const DOUBTFUL_MAX = 256;

/** Where the numbers of a session lie in the log. */
interface Numbers {
  session: Session;
  /**
   * The records of the last contents, each at its number modulo `CONTENTS_MAX`. For a number
   * declared missing, -1 less the record with which the table began to wait for it.
   */
  at: number[];
  /** The record with which the device restarted the session; null if it did not. */
  restarted: number | null;
  readonly onlines: Map<number, number>;
  /** The records of second contents, by number. */
  readonly equivocal: Map<number, number>;
  isMet: boolean;
}

/**
 * Chooses the records before a range that judging the range needs, from a table's log up to the end
 * of the range:
 *
 * - of each session first heard in the range, its last record before;
 * - the sign-ons in force;
 * - the first of each number, id and shoe id that the range repeats, and a second one with another
 *   content if there was one;
 * - of each source with a gap or an outage in the range, an event of each kind that it had sent,
 *   and of one with an outage how it last came online.
 */
export class ContextChooser extends LogWatch {
  private readonly needed = new Set<number>();
  private hasBegun = false;
  private back = Infinity;
  private readonly numbers = new Map<string, Numbers>();
  /** The same by session, because a key takes longer to make than to look up. */
  private readonly numbersBySession = new WeakMap<Session, Numbers>();
  /** The records of unnumbered events by reference: the windows of admission. */
  private ids = new Map<string, number>();
  private idsBefore = new Map<string, number>();
  private readonly equivocalIds = new Map<string, number>();
  /** The records of the openings of the last two shoes, by reference. */
  private readonly openingsInReach = new Map<string, number>();
  private window = this.admission.idsBefore;
  private readonly kinds = new WeakMap<KnownSource, Map<MessageKind, number>>();
  /** The record of the last `device-online` of each source. */
  private readonly onlineAt = new Map<string, number>();
  private readonly duty = new Map<'dealer' | 'caller', OnDuty>();
  /** Who was on duty when the range began. */
  private atFirst: readonly (readonly [role: 'dealer' | 'caller', OnDuty])[] = [];
  /** The first event in the range of each session that was not known to be fresh then. */
  private readonly doubtful = new Map<Session, IsFresh>();

  /**
   * `first` is the record with which the range begins. Cards of an older shoe count from the record
   * `shown` on, because no finding about no shoe is listed before.
   */
  constructor(
    private readonly first: number,
    private readonly shown: number,
    near: NearStart = FROM_ZERO,
  ) {
    super(near);
  }

  /** Returns what was chosen. Called once the last event of the range was taken. */
  chosen(): ContextChosen {
    const back = Math.min(this.back, this.first);
    for (const [role, { record, isFresh }] of this.atFirst)
      if (isFresh()) this.need(record);
      else if (role === 'dealer') this.isInDoubt = true;
    for (const isFresh of this.doubtful.values()) if (!isFresh()) this.isInDoubt = true;
    return {
      records: [...this.needed].sort((a, b) => a - b),
      back: back < this.first ? back : null,
      isSure: this.isSure,
    };
  }

  private get isInRange(): boolean {
    return this.record >= this.first;
  }

  /** Chooses a record if it lies before the range. */
  private need(record: number | undefined | null): void {
    if (record !== undefined && record !== null && record < this.first) this.needed.add(record);
  }

  override begin(record: number): void {
    super.begin(record);
    if (this.hasBegun || !this.isInRange) return;
    this.hasBegun = true;
    this.back = this.quiet;
    this.atFirst = [...this.duty];
    // ids reach back over two openings; who deals must be known, and what the table held back
    const knowsBefore = this.duty.has('dealer') && this.openings >= 2 && this.isPastWaits;
    if (!knowsBefore) this.isInDoubt = true;
  }

  protected override firstHeard({ sequence = 1 }: AnyEvent): void {
    if (this.isInRange && sequence > 1) this.isInDoubt = true;
  }

  protected override arrive(event: AnyEvent): void {
    if (this.isInRange) this.needOf(event);
    const reference = referenceOf(event);
    const { ids, idsBefore } = this.admission;
    const isNew = event.sequence === undefined && !ids.has(reference) && !idsBefore.has(reference);
    super.arrive(event);
    if (this.admission.idsBefore !== this.window) {
      this.window = this.admission.idsBefore;
      this.idsBefore = this.ids;
      this.ids = new Map();
      for (const known of this.equivocalIds.keys())
        if (!this.admission.equivocalIds.has(known)) this.equivocalIds.delete(known);
    }
    if (isNew) this.ids.set(reference, recordOf(event));
    if (this.isInRange) this.doubt(event);
  }

  private needOf(event: AnyEvent): void {
    const isOpening = event.type === 'shoe-opened';
    if (isOpening || event.sequence === undefined) this.needOfId(referenceOf(event));
    if (event.sequence !== undefined) this.needOfNumber(event, event.sequence);
    if (event.shoe === undefined) return;
    if (isOpening || (event.type === 'card-drawn' && this.record >= this.shown))
      this.need(this.shoes.get(event.shoe));
  }

  private needOfId(reference: string): void {
    const { ids, idsBefore, equivocalIds } = this.admission;
    if (!ids.has(reference) && !idsBefore.has(reference)) return;
    const record = this.ids.get(reference) ?? this.idsBefore.get(reference);
    this.need(record ?? this.openingsInReach.get(reference));
    if (equivocalIds.has(reference)) this.need(this.equivocalIds.get(reference));
  }

  private needOfNumber(event: AnyEvent, sequence: number): void {
    const session = this.sessionHeard(event);
    const known = session && this.numbersBySession.get(session);
    if (!known) return;
    if (!known.isMet) {
      known.isMet = true;
      this.need(known.at[(session.next - 1) % CONTENTS_MAX]);
      this.need(known.restarted);
    }
    if (sequence >= session.next) return;
    this.need(known.onlines.get(event.digest));
    if (sequence < session.next - CONTENTS_MAX) return;
    const first = known.at[sequence % CONTENTS_MAX];
    if (first === undefined) return;
    if (first >= 0) this.need(first);
    else this.back = Math.min(this.back, -1 - first);
    if (session.equivocal.includes(sequence)) this.need(known.equivocal.get(sequence));
  }

  override admitted(event: AnyEvent): void {
    const { sequence } = event;
    if (sequence !== undefined) {
      const known = this.numbersOf(event);
      known.at[sequence % CONTENTS_MAX] = recordOf(event);
      if (event.type === 'device-online') keepOnline(known, event);
    }
    super.admitted(event);
    if (event.type === 'device-online') this.onlineAt.set(event.source, recordOf(event));
    this.keepKinds(event);
    if (event.type === 'dealer-signed-on' || event.type === 'dealer-relieved') this.keepDuty(event);
  }

  /** Keeps what the range may have taken as play and is an old buffer sent again. */
  private doubt(event: AnyEvent): void {
    if (this.start === 0 || event.sequence === undefined) return;
    const session = this.sessionHeard(event);
    const isFresh = this.freshness(event);
    if (!session || isFresh() || this.doubtful.has(session)) return;
    if (this.doubtful.size < DOUBTFUL_MAX) this.doubtful.set(session, isFresh);
    else this.isInDoubt = true;
  }

  /** Returns where the numbers of an admitted event's session lie. */
  private numbersOf(event: AnyEvent): Numbers {
    const session = this.admission.sessions[0] as Session;
    const heard = this.numbersBySession.get(session);
    if (heard) return heard;
    const key = keyOf(event);
    const known = this.numbers.get(key);
    // the device restarted the session: it keeps what it said when it came online
    if (known && known.session.onlines === session.onlines) {
      Object.assign(known, { session, at: [], restarted: recordOf(event) });
      this.numbersBySession.set(session, known);
      return known;
    }
    const fresh: Numbers = {
      session,
      at: [],
      restarted: null,
      onlines: new Map(),
      equivocal: new Map(),
      isMet: this.isInRange,
    };
    this.numbers.set(key, fresh);
    this.numbersBySession.set(session, fresh);
    this.forgetSessions();
    return fresh;
  }

  /** Forgets the sessions that admission has forgotten. */
  private forgetSessions(): void {
    const { sessions } = this.admission;
    if (this.numbers.size <= 2 * sessions.length) return;
    const held = new Set(sessions);
    for (const [key, { session }] of this.numbers)
      if (!held.has(session)) {
        this.numbers.delete(key);
        this.numbersBySession.delete(session);
      }
  }

  private keepKinds(event: AnyEvent): void {
    const source = this.sources.find((each) => each.source === event.source);
    if (!source) return;
    const known = this.kinds.get(source) ?? new Map<MessageKind, number>();
    this.kinds.set(source, known);
    for (const kind of kindsOf(event.type)) known.set(kind, recordOf(event));
  }

  private keepDuty(event: EventOf<'dealer-signed-on' | 'dealer-relieved'>): void {
    const { dealer, role } = event.data;
    const record = recordOf(event);
    const isFresh = this.freshness(event);
    const before = this.duty.get(role);
    if (event.type === 'dealer-signed-on') this.duty.set(role, { record, dealer, isFresh });
    else if (before?.dealer === dealer) {
      // only somebody on duty can be relieved
      const isRelief = (): boolean => isFresh() && before.isFresh();
      this.duty.set(role, { record, dealer: '', isFresh: isRelief });
    }
  }

  protected missed(
    after: AnyEvent,
    [from, to]: readonly [number, number],
    _kinds: readonly MessageKind[],
  ): void {
    const { at } = this.numbersOf(after);
    for (let n = Math.max(from, to - CONTENTS_MAX + 1); n <= to; n += 1)
      at[n % CONTENTS_MAX] = -1 - this.quiet;
    if (from > 1) this.needOfKinds(after);
  }

  protected outage(event: AnyEvent): void {
    this.needOfKinds(event);
    if (this.isInRange) this.need(this.onlineAt.get(event.source));
  }

  private needOfKinds(event: AnyEvent): void {
    if (!this.isInRange) return;
    this.isInDoubt = true; // what kinds the source had sent before the start is not known
    const source = this.sources.find((each) => each.source === event.source);
    for (const record of (source && this.kinds.get(source)?.values()) ?? []) this.need(record);
  }

  override late(event: AnyEvent): void {
    const known = this.numbers.get(keyOf(event));
    if (known) known.at[(event.sequence as number) % CONTENTS_MAX] = recordOf(event);
  }

  override equivocal(event: AnyEvent, under: 'number' | 'id'): void {
    if (under === 'id') this.equivocalIds.set(referenceOf(event), recordOf(event));
    else {
      const known = this.numbers.get(keyOf(event));
      if (!known) return;
      known.equivocal.set(event.sequence as number, recordOf(event));
      forgetOldest(known.equivocal, CONTENTS_MAX);
    }
  }

  protected opened({ ref, name }: OpenedShoe): void {
    const { openingsInReach } = this;
    openingsInReach.set(ref, this.shoes.get(name) as number);
    forgetOldest(openingsInReach, 2);
  }
}

/** Keeps where a device came online, for as long as admission remembers what it said. */
function keepOnline({ onlines, session }: Numbers, event: EventOf<'device-online'>): void {
  onlines.set(event.digest, recordOf(event));
  for (const digest of onlines.keys())
    if (digest !== event.digest && !session.onlines.includes(digest)) onlines.delete(digest);
}

const keyOf = ({ source, session }: AnyEvent): string => JSON.stringify([source, session]);
