import type { ReadLimits } from '#spool';
import type { EventsRequest } from './undelivered.js';

/** The most events of a request of live play. The api appends larger ones after those of others. */
const FRESH_EVENTS_MAX = 100;
/** The largest request: many proxies stop at 1 MB. The api takes more. */
export const LARGEST: ReadLimits = { contents: 5_000, bytes: 900_000 };
/** How many requests must be taken before larger ones are tried again. */
const TAKEN_UNTIL_LARGER = 8;

/** How large a request may be, from what has reached the api so far. */
export class RequestSize {
  private limits = LARGEST;
  private taken = 0;

  /** Returns the limits of the next request. Only a gateway that is behind sends large ones. */
  of(isBehind: boolean): ReadLimits {
    const { contents, bytes } = this.limits;
    return { contents: isBehind ? contents : Math.min(contents, FRESH_EVENTS_MAX), bytes };
  }

  /** Notes that a request was taken. After several of them, limits that shrank are doubled. */
  wasTaken(): void {
    this.taken += 1;
    if (this.taken < TAKEN_UNTIL_LARGER) return;
    this.taken = 0;
    this.limits = {
      contents: Math.min(LARGEST.contents, this.limits.contents * 2),
      bytes: Math.min(LARGEST.bytes, this.limits.bytes * 2),
    };
  }

  /** Halves a request that was too large, and the limits with it. */
  wasTooLarge({ positions, lines }: EventsRequest): void {
    this.taken = 0;
    this.limits = {
      contents: Math.max(1, Math.floor(positions.length / 2)),
      bytes: Math.max(1, Math.floor(lines.length / 2)),
    };
  }
}
