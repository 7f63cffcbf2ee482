import { timeIn, timeOf, type AnyEvent, type Heard, type Line } from '#audit';
import type { CoveringSeal } from '#evidence';

/** What is worth a warning, in the words of the warning and in their order. */
const REMARKS = {
  declared: 'gaps declared',
  late: 'events that came after their number had counted as missing',
  back: 'events whose time is before that of an earlier number of their session',
  old: 'events sealed more than 10 minutes after they were received',
  early: 'events received after the time of their seal',
  day: 'events of an earlier gaming day than the one that they were sealed with',
  released: 'lines that were released, and are not judged',
} as const;
type Remark = keyof typeof REMARKS;

/** Longest time between receipt and seal that is not worth a warning, in milliseconds. */
const SEALED_WITHIN = 10 * 60_000;
/** The time of a seal has whole seconds. */
const SECOND = 1_000;
/** Sessions of one table that are remembered. Beyond them, one that comes again counts twice. */
const SESSIONS_MAX = 65_536;

/** What was heard last of a session: its number, and its time in milliseconds. */
interface LastHeard {
  sequence: number;
  time: number;
}

/** An event, and when it was received in milliseconds since 1970; NaN if that is unknown. */
interface ReadEvent {
  readonly event: AnyEvent | Line;
  readonly received: number;
}

/** Counts what is worth a warning in the records of one table. */
export class Remarks {
  private readonly seen = new Map<Remark, { count: number; first: number }>();
  private readonly sources = new Map<string, Map<string, LastHeard>>();
  private sessionCount = 0;
  private record = 0;
  private seal: CoveringSeal | undefined;
  private sealedAt = NaN;

  constructor(
    private readonly table: string,
    private readonly dayOf: (time: string) => string,
  ) {}

  /** The sessions that were heard. */
  get sessions(): number {
    return this.sessionCount;
  }

  /** Returns the warnings. */
  get warnings(): string[] {
    return Object.entries(REMARKS).flatMap(([name, words]) => {
      const seen = this.seen.get(name as Remark);
      return seen
        ? `table ${this.table}: ${words}: ${seen.count}, the first in record ${seen.first}`
        : [];
    });
  }

  /** Begins with the events of record `n`, which a seal covers. */
  begin(n: number, seal: CoveringSeal | undefined): void {
    this.record = n;
    if (seal === this.seal) return;
    this.seal = seal;
    this.sealedAt = seal ? (timeOf(seal.time) ?? NaN) : NaN;
  }

  /** Counts one more of a kind in the record. */
  note(remark: Remark): void {
    const seen = this.seen.get(remark);
    if (seen) seen.count += 1;
    else this.seen.set(remark, { count: 1, first: this.record });
  }

  /** Looks at an event of the record, and when it was received. */
  event(heard: Heard, { event, received }: ReadEvent): void {
    if (heard.type === 'gap-declared') this.note('declared');
    if (heard.session !== undefined && this.goesBack(heard, heard.session)) this.note('back');
    const { seal, sealedAt } = this;
    if (received >= sealedAt + SECOND) this.note('early');
    if (!seal?.isFirst) return;
    if (received < sealedAt - SEALED_WITHIN) this.note('old');
    if (seal.day !== undefined && this.dayOf(timeIn(event)) < seal.day) this.note('day');
  }

  /** Returns whether the time of a number is before that of an earlier number of its session. */
  private goesBack(heard: Heard, session: string): boolean {
    const { source, instant: time } = heard;
    const sequence = heard.sequence ?? 0;
    const sessions = this.sources.get(source) ?? new Map<string, LastHeard>();
    const last = sessions.get(session);
    if (!last) {
      this.sessionCount += 1;
      if (this.sessionCount % SESSIONS_MAX === 0) this.sources.clear();
      this.sources.set(source, sessions.set(session, { sequence, time }));
      return false;
    }
    // a device that restarts its session begins again with 1
    const isLater = sequence > last.sequence;
    const isBack = isLater && time < last.time;
    if (isLater || sequence === 1) {
      last.sequence = sequence;
      last.time = time;
    }
    return isBack;
  }
}
