import { createRequire } from 'node:module';

interface RequestQueue {
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  readonly pending: readonly unknown[];
  checkPendingRequests(): void;
}

let done = false;

/**
 * kafkajs 2.2.4 arms a timer after every answer, with a time that lies in the past when nothing throttles it: about 900
 * wake-ups a second on each connection for ever, and on Node 24 a TimeoutNegativeWarning. Here the timer is armed only while
 * something waits, which is what it is for. kafkajs is no longer released, so the file that is mended stays what it is; a
 * version that has moved it is left alone.
 */
export function quietRequestQueue(): void {
  if (done) return;
  done = true;
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    prototype: RequestQueue & { scheduleCheckPendingRequests(): void };
  };
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
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
