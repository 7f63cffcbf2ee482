import { asError } from '../as-error.js';

/** Thrown if a wait takes longer than its limit. The awaited work may continue. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';

  constructor(readonly ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Resolves or rejects as `work` does, or rejects with `late()` after `ms`. It does not stop the
 * work; a caller that needs to must stop it after `TimedOut`.
 */
export function within<T>(
  ms: number,
  work: Promise<T>,
  late: () => Error = () => new TimedOut(ms),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(asError(error));
      },
    );
  });
}

/**
 * Resolves or rejects as `work` does, or rejects with the reason of `signal` as soon as that is
 * aborted. It does not stop the work.
 */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(asError(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', abort);
    work.then(resolve, reject).finally(settled);
  });
}
