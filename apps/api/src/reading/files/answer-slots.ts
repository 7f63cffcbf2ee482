import type { Metrics } from '../../operation/metrics.js';
import { Problem } from '../../problems/problems.js';

/** The seconds after which a refused request may ask again. */
const RETRY_S = 5;

/**
 * The slots for long answers of one kind, such as exports. A request without a slot is refused at
 * once, so nothing queues.
 */
export class AnswerSlots {
  private readonly byIdentity = new Map<string, number>();
  private taken = 0;

  /** Takes the name of what has slots, and how many there are: in all, and for each identity. */
  constructor(
    private readonly of: 'exports' | 'streams',
    private readonly max: { readonly inAll: number; readonly each: number },
    private readonly metrics: Pick<Metrics, 'underWay' | 'refused'>,
  ) {
    metrics.underWay.set({ of }, 0);
    metrics.refused.inc({ of }, 0);
  }

  /**
   * Takes a slot for an identity until `free` is called, which may happen more than once. Throws
   * `too-many-at-once` if there is none.
   */
  take(identity: string): { readonly free: () => void } {
    const own = this.byIdentity.get(identity) ?? 0;
    const isFull = this.taken >= this.max.inAll;
    if (isFull || own >= this.max.each) {
      this.metrics.refused.inc({ of: this.of });
      throw new Problem(
        'too-many-at-once',
        isFull
          ? `the server has ${this.taken} ${this.of} under way, its most`
          : `this identity has ${own} ${this.of} under way, its most`,
        { headers: { 'Retry-After': String(RETRY_S) } },
      );
    }
    this.count(identity, 1);
    let isFree = false;
    return {
      free: () => {
        if (!isFree) this.count(identity, -1);
        isFree = true;
      },
    };
  }

  private count(identity: string, by: 1 | -1): void {
    const own = (this.byIdentity.get(identity) ?? 0) + by;
    if (own === 0) this.byIdentity.delete(identity);
    else this.byIdentity.set(identity, own);
    this.taken += by;
    this.metrics.underWay.set({ of: this.of }, this.taken);
  }
}
