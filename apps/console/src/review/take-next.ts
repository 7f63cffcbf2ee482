import {
  type Answers,
  answered,
  api,
  dataOf,
  newKey,
  Refused,
  Unreachable,
} from '../api/client.js';

/** What a person waits for: the answer, the decision about a claim, or a server that is away. */
export type Waiting = 'asked' | 'undecided' | 'repeated';

/** Nothing was decided within two minutes. The next tap goes on under the same key. */
export class NotDecided extends Error {}

/** One tap. It has one key until its finding is known, so that it never holds two. */
interface Tap {
  key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly since: number;
}

const PATIENCE_MS = 120_000;
/** An older tap is forgotten: its claim has run out. */
const TAP_MS_MAX = 600_000;
const PAUSE_MS = { first: 500, most: 5_000 };
const AGAIN = ['not-recorded', 'outcome-unknown', 'queue-contended', 'not-ready', 'too-slow'];

let unfinished: Tap | undefined;

/**
 * Claims the worst and oldest finding that is free, and returns its id, or null if nothing is left.
 * Repeats under the same key where no answer came. A claim that went to another person leads to the
 * next finding. Throws `Refused`, `Unreachable` or `NotDecided`.
 */
export async function takeNext(
  query: Readonly<Record<string, string>>,
  onWaiting: (waiting: Waiting) => void,
  signal: AbortSignal,
): Promise<string | null> {
  if (!unfinished || Date.now() - unfinished.since > TAP_MS_MAX)
    unfinished = { key: newKey(), query, since: Date.now() };
  const tap = unfinished;
  const until = performance.now() + PATIENCE_MS;
  onWaiting('asked');
  for (let tries = 0; performance.now() < until; tries += 1) {
    const outcome = await ask(tap, signal).catch(repeatable);
    if (outcome === 'again') {
      onWaiting('repeated');
      await pause(Math.min(PAUSE_MS.first * 2 ** tries, PAUSE_MS.most), signal);
      continue;
    }
    if (outcome !== null && typeof outcome === 'object') {
      onWaiting('undecided');
      if (!(await isTaken(outcome, until, signal))) {
        tap.key = newKey(); // it holds nothing: on to the next finding
        continue;
      }
    }
    unfinished = undefined;
    return outcome !== null && typeof outcome === 'object' ? outcome.finding : outcome;
  }
  throw new NotDecided('nothing was decided within two minutes');
}

interface Pending {
  readonly finding: string;
  readonly ref: string;
  readonly table: string;
  readonly position: string | null;
}

interface TakeAnswer {
  readonly data?: Answers['TakenActAnswer'] | Answers['PendingActAnswer'];
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the id of the finding, null if none is left, or the act that is not decided yet. */
async function ask(tap: Tap, signal: AbortSignal): Promise<string | null | Pending> {
  const { data, response } = await answered<
    Answers['TakenActAnswer'] | Answers['PendingActAnswer']
  >(
    api.POST('/v1/findings/take-next', {
      params: { query: tap.query, header: { 'Idempotency-Key': tap.key } },
      signal,
    }) as Promise<TakeAnswer>, // which has no content if nothing is left
  );
  if (response.status === 204 || !data) return null;
  if (response.status === 200) return data.finding;
  const { finding, ref, table } = data;
  return { finding, ref, table, position: response.headers.get('log-position') };
}

/** Waits until the log has decided, and returns whether the claim took effect. */
async function isTaken(pending: Pending, until: number, signal: AbortSignal): Promise<boolean> {
  const { ref, table, position } = pending;
  while (performance.now() < until) {
    const act = await dataOf(
      api.GET('/v1/review-events/{ref}', {
        params: {
          path: { ref },
          query: { table },
          ...(position !== null && { header: { 'Min-Position': position } }),
        },
        signal,
      }),
    ).catch(repeatable);
    if (act !== 'again') return act.outcome === 'taken';
    await pause(PAUSE_MS.first, signal);
  }
  throw new NotDecided('nothing was decided within two minutes');
}

/** Returns `again` for an answer after which the same is sent again. Throws every other. */
function repeatable(error: unknown): 'again' {
  if (error instanceof Unreachable && !isAborted(error)) return 'again';
  if (error instanceof Refused && (isNoDecision(error) || error.status === 429)) return 'again';
  if (error instanceof Refused) unfinished = undefined;
  throw error;
}

const isNoDecision = ({ is, status }: Refused): boolean =>
  AGAIN.includes(is) || is === 'not-yet-visible' || status === 502 || status === 504;

const isAborted = ({ cause }: Error): boolean =>
  cause instanceof DOMException && cause.name === 'AbortError';

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Unreachable('left the page', { cause: signal.reason }));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
