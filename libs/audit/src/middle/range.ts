import type { MessageKind } from '../admission/message-kinds.js';
import type { AnyEvent } from '../events/events.js';
import { FROM_ZERO, LogWatch, type IsFresh, type NearStart, type OpenedShoe } from './log-watch.js';

/**
 * What a range of records is to show:
 *
 * - one shoe, by the reference of its opening;
 * - what was found at a record about no shoe, with the shoe then open;
 * - the table between two sizes of its log.
 */
export type RangeAsked =
  | { readonly of: 'shoe'; readonly ref: string }
  | { readonly of: 'record'; readonly record: number }
  | { readonly of: 'span'; readonly from: number; readonly to: number };

/** A shoe that a range can show, and the record with which that range begins. */
interface Shown {
  readonly shoe: OpenedShoe;
  readonly first: number;
  /** Whether the table held nothing back from before the start when it was opened. */
  readonly isPastWaits: boolean;
  /** Whether `first` is what reading from record 0 on finds. */
  readonly isSure: IsFresh;
}

/** The records that judging what was asked for needs. */
export interface JudgedRange {
  /** The first record, and the one after the last. */
  readonly first: number;
  readonly end: number;
  /** The first shoe that the range shows; null if none was open. */
  readonly shoe: OpenedShoe | null;
  /**
   * The shoes that the range shows, in the order of their openings. Openings that open nothing are
   * left out, such as one that a device sends again.
   */
  readonly shoes: readonly string[];
  /** Whether all of the asked shoe is there: it left reach, so that nothing can change it. */
  readonly leftReach: boolean;
  /** Whether reading from record 0 on finds the same. */
  readonly isSure: boolean;
}

/**
 * Finds the records that show a shoe, or a part of a table's log, in a table's log from its first
 * record on, or from an earlier one than those that are asked for.
 *
 * A range begins with the opening of the shoe before the first one shown, because corrections, late
 * money and repeated ids reach that far. If the table then held events back, it begins with the
 * first of them. It begins with an earlier gap that may hide who signed on, if nobody signed on
 * between that gap and the opening of the first shoe shown. It ends with the record that admits the
 * second opening after the shoe, or with the last record taken.
 */
export class RangeFinder extends LogWatch {
  private open: Shown | null = null;
  private shown: RangeFinder['open'] = null;
  private readonly listed = new Set<string>();
  private isFound = false;
  private later = 0;
  private lostDuty: number | null = null;
  /** Whether a dealer signed on since the start, and since any numbers that may be lost. */
  private signedOn: IsFresh = NOT_FRESH;

  constructor(
    private readonly asked: RangeAsked,
    near: NearStart = FROM_ZERO,
  ) {
    super(near);
    if (asked.of === 'span' && asked.from === 0) this.isFound = true;
  }

  /** Returns whether the range ends with the record taken last, so that no more need be read. */
  get isDone(): boolean {
    const { asked } = this;
    if (asked.of === 'span') return this.record >= asked.to - 1;
    return this.isFound && this.later >= 2;
  }

  /** Returns the range; undefined if the log has no such shoe. Called after a whole record. */
  range(): JudgedRange | undefined {
    const { asked } = this;
    const end = asked.of === 'span' ? asked.to : this.record + 1;
    if (asked.of === 'record' && this.record === asked.record) this.find();
    if (!this.isFound) return undefined;
    const { first = 0, shoe = null } = this.shown ?? {};
    const leftReach = asked.of !== 'span' && this.later >= 2;
    const isSure = this.start === 0 || (this.isSure && this.shown?.isSure() === true);
    return { first, end, shoe, shoes: [...this.listed], leftReach, isSure };
  }

  override begin(record: number): void {
    super.begin(record);
    const { asked } = this;
    if (asked.of === 'span' && record === asked.from) this.find();
    if (asked.of === 'record' && record === asked.record + 1) this.find();
  }

  private find(): void {
    if (this.isFound) return;
    this.isFound = true;
    this.shown = this.open;
    if (this.open) this.listed.add(this.open.shoe.name);
  }

  protected opened(shoe: OpenedShoe): void {
    const { open, lostDuty, asked, isPastWaits, signedOn } = this;
    const first = open ? Math.min(open.shoe.first, lostDuty ?? Infinity) : 0;
    const isKnown = open?.isPastWaits === true && isPastWaits && lostDuty === null;
    this.open = { shoe, first, isPastWaits, isSure: isKnown ? signedOn : NOT_FRESH };
    if (this.isFound && !isPastWaits) this.isInDoubt = true;
    if (this.isFound) this.follow(shoe);
    else if (asked.of === 'shoe' && asked.ref === shoe.ref) this.find();
  }

  /** Takes a shoe opened after the first one shown. If none was open then, it is shown itself. */
  private follow({ name }: OpenedShoe): void {
    this.later += 1;
    if (this.asked.of === 'span' || this.listed.size === 0) this.listed.add(name);
  }

  override admitted(event: AnyEvent): void {
    if (event.type === 'dealer-signed-on' && event.data.role === 'dealer') {
      this.lostDuty = null;
      this.signedOn = this.freshness(event);
    }
    super.admitted(event);
  }

  protected override firstHeard({ sequence = 1 }: AnyEvent): void {
    // its first numbers may have hidden that somebody signed on
    if (sequence > 1) this.signedOn = NOT_FRESH;
  }

  protected missed(
    _after: AnyEvent,
    _numbers: readonly [number, number],
    kinds: readonly MessageKind[],
  ): void {
    this.lose(kinds);
  }

  protected outage(_event: AnyEvent, kinds: readonly MessageKind[]): void {
    this.lose(kinds);
  }

  private lose(kinds: readonly MessageKind[]): void {
    if (kinds.includes('people')) this.lostDuty = this.quiet;
    // its source may have sent more kinds before the start
    else if (this.start > 0) this.signedOn = NOT_FRESH;
  }
}

const NOT_FRESH: IsFresh = () => false;
