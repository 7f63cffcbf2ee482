import { timeOf, type Heard } from '#audit';
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

/** Counts what is worth a warning in the records of one table. */
export class Remarks {
  private readonly seen = new Map<Remark, { count: number; first: number }>();
  private readonly sources = new Map<string, Map<string, LastHeard>>();
  private sessionCount = 0;
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

  /** Counts one more of a kind in record `n`. */
  note(remark: Remark, n: number): void {
    const seen = this.seen.get(remark);
    if (seen) seen.count += 1;
    else this.seen.set(remark, { count: 1, first: n });
  }

  /** Looks at an event of record `n`, when it was received and which seal covers it. */
  event(
    event: Heard,
    received: string | undefined,
    { n, seal }: { readonly n: number; readonly seal: CoveringSeal | undefined },
  ): void {
    if (event.type === 'gap-declared') this.note('declared', n);
    if (event.session !== undefined && this.goesBack(event, event.session)) this.note('back', n);
    if (seal)
      this.sealed(event, received === undefined ? NaN : (timeOf(received) ?? NaN), { n, seal });
  }

  /** Compares when an event happened and was received with the seal that covers it. */
  private sealed(
    event: Heard,
    receivedAt: number,
    { n, seal }: { readonly n: number; readonly seal: CoveringSeal },
  ): void {
    if (seal !== this.seal) this.sealedAt = timeOf(seal.time) ?? NaN;
    this.seal = seal;
    if (receivedAt >= this.sealedAt + SECOND) this.note('early', n);
    if (!seal.isFirst) return;
    if (receivedAt < this.sealedAt - SEALED_WITHIN) this.note('old', n);
    if (seal.day !== undefined && this.dayOf(event.time) < seal.day) this.note('day', n);
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
