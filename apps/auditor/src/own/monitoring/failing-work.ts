import { errorText } from '#server';

/** Work that fails again and again. */
export interface Failing {
  /** `rows`: writing rows and positions. `leases`: saying that this auditor is there. */
  readonly work: 'rows' | 'leases';
  readonly error: string;
}

/** Failures that last this long are more than what a retry gets over. */
const LASTING_MS = 5_000;

/** Remembers which work has failed since it last succeeded. */
export class FailingWork {
  private readonly failing = new Map<Failing['work'], { since: number; why: unknown }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  failed(work: Failing['work'], why: unknown): void {
    const since = this.failing.get(work)?.since ?? this.now();
    this.failing.set(work, { since, why });
  }

  /** Forgets the failures of work that succeeded, or that another auditor has to do now. */
  over(work: Failing['work']): void {
    this.failing.delete(work);
  }

  /** Returns what has failed for five seconds. */
  get lasting(): readonly Failing[] {
    const before = this.now() - LASTING_MS;
    return [...this.failing].flatMap(([work, { since, why }]) =>
      since <= before ? [{ work, error: errorText(why) }] : [],
    );
  }
}
