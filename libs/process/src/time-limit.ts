import { asError } from './as-error.js';

/** A wait took longer than its limit. What was waited for may still go on. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';

  constructor(readonly ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Resolves or rejects as `work` does, or rejects with `late()` once `ms` have passed. It does not
 * stop the work: a caller who must be rid of it stops it after `TimedOut`.
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
