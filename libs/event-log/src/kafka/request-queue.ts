import { type RequestQueue, requestQueues } from './internals.js';

let done = false;

/**
 * Replaces a method of kafkajs that sets too many timers. kafkajs 2.2.4 sets one after every
 * answer, with a delay in the past unless the broker throttles: about 900 wake-ups a second on each
 * connection, and on Node 24 a TimeoutNegativeWarning. The replacement sets the timer only while
 * requests wait. kafkajs has no new releases, so the patched file will not change. Throws if
 * another version lacks the file.
 */
export function quietRequestQueue(): void {
  if (done) return;
  done = true;
  requestQueues().scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.throttleCheckTimeoutId || this.pending.length === 0) return;
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      Math.max(this.throttledUntil - Date.now(), SOON_MS),
    );
  };
}

const SOON_MS = 10;
