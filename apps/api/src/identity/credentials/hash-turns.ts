import { Problem } from '../../problems/problems.js';

/**
 * The two queues for hashing: of people who are known at their address or signed in, and of
 * strangers.
 */
export type Lane = 'known' | 'stranger';

/**
 * The most hashes at once. A hash takes a core for about a tenth of a second, and strangers never
 * take more than one core.
 */
const AT_ONCE_MAX = { all: 2, stranger: 1 } as const;
/** The most that wait in each queue. */
const WAITING_MAX: Readonly<Record<Lane, number>> = { known: 64, stranger: 16 };
/** By then, half of a full queue has had its turn. */
const RETRY_AFTER_S = 2;

interface Waiting {
  readonly from: string;
  readonly start: () => void;
  readonly refuse: (problem: Problem) => void;
}

/**
 * Lets few hashes run at once, and few wait. The queue of known people goes first. If a queue is
 * full, the address with the most places loses its newest to an address that has fewer.
 */
export class HashTurns {
  private readonly running: Record<Lane, number> = { known: 0, stranger: 0 };
  private readonly waiting: Record<Lane, Waiting[]> = { known: [], stranger: [] };

  /**
   * Runs `work` in its turn and returns its result. `from` is who asks, such as an address. Throws
   * `too-many-sign-ins` if there is no place in the queue.
   */
  async run<T>(lane: Lane, from: string, work: () => Promise<T>): Promise<T> {
    if (this.isFree(lane)) this.running[lane] += 1;
    else await this.turn(lane, from);
    try {
      return await work();
    } finally {
      this.running[lane] -= 1;
      this.startNext();
    }
  }

  private isFree(lane: Lane): boolean {
    const { known, stranger } = this.running;
    if (known + stranger >= AT_ONCE_MAX.all) return false;
    return lane === 'known' || stranger < AT_ONCE_MAX.stranger;
  }

  private turn(lane: Lane, from: string): Promise<void> {
    const queue = this.waiting[lane];
    if (queue.length >= WAITING_MAX[lane]) makeRoom(queue, from);
    return new Promise((resolve, reject) => {
      queue.push({ from, start: resolve, refuse: reject });
    });
  }

  /** Starts the next one. Its place counts as taken from now on. */
  private startNext(): void {
    for (const lane of ['known', 'stranger'] as const) {
      const next = this.isFree(lane) ? this.waiting[lane].shift() : undefined;
      if (!next) continue;
      this.running[lane] += 1;
      next.start();
    }
  }
}

/** Takes a place from the address that has most of them. Throws if `from` has as many. */
function makeRoom(queue: Waiting[], from: string): void {
  const placesOf = (address: string): number =>
    queue.filter((other) => other.from === address).length;
  const greedy = queue.reduce((most, each) =>
    placesOf(each.from) > placesOf(most.from) ? each : most,
  ).from;
  if (placesOf(greedy) <= placesOf(from) + 1) throw busy();
  const newest = queue.findLastIndex((other) => other.from === greedy);
  queue.splice(newest, 1)[0]?.refuse(busy());
}

const busy = (): Problem =>
  new Problem('too-many-sign-ins', undefined, {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });

/** The turns of this process: all hashes of passwords share its processor. */
export const HASH_TURNS = new HashTurns();
