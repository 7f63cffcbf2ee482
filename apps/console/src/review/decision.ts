import { type Answers, api, dataOf, Refused, Unreachable } from '../api/client.js';

type Pending = Answers['PendingActAnswer'];

/** How long something is waited for, and what is called when it is asked again. */
export interface Patience {
  readonly ms: number;
  readonly signal?: AbortSignal;
  readonly onAgain?: () => void;
}

/** Refusals that decide nothing: the same may be sent again under the same key. */
const UNDECIDED: readonly string[] = [
  'outcome-unknown',
  'not-recorded',
  'queue-contended',
  'not-ready',
  'not-yet-visible',
  'too-slow',
  'too-many-requests',
];
/** What a proxy answers while the server is away. */
const AWAY: readonly number[] = [502, 503, 504];
const PAUSE_MS = { first: 500, most: 5_000 };

/** Returns whether the server may still take a command that failed so. Send it under its key. */
export const isUndecided = (error: unknown): boolean =>
  error instanceof Refused
    ? UNDECIDED.includes(error.is) || (error.is === 'blank' && AWAY.includes(error.status))
    : error instanceof Unreachable && !isAborted(error);

const isAborted = ({ cause }: Error): boolean =>
  cause instanceof DOMException && cause.name === 'AbortError';

/** Asks until there is a decision. Throws the last error when the patience has run out. */
export async function decided<Answer>(
  ask: () => Promise<Answer>,
  { ms, signal, onAgain }: Patience,
): Promise<Answer> {
  const until = performance.now() + ms;
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const wait = Math.min(PAUSE_MS.first * 2 ** tries, PAUSE_MS.most);
      if (!isUndecided(error) || performance.now() + wait >= until) throw error;
      onAgain?.();
      await pause(wait, signal);
    }
  }
}

/** Waits until the log has decided about an act that is on it, and returns the act. */
export function decisionOf(
  { ref, table }: Pending,
  { headers }: Response,
  patience: Patience,
): Promise<Answers['ShownActAnswer']> {
  const position = headers.get('Log-Position');
  const params = {
    path: { ref },
    query: { table },
    ...(position !== null && { header: { 'Min-Position': position } }),
  };
  const { signal } = patience;
  return decided(
    () => dataOf(api.GET('/v1/review-events/{ref}', { params, ...(signal && { signal }) })),
    patience,
  );
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Unreachable('left the page', { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
