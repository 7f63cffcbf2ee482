import { type Answers, answered, api, newKey, Refused } from '../../api/client.js';
import { decided, decisionOf, isUndecided } from '../decision.js';

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
  onWaiting('asked');
  try {
    const taken = await taking(unfinished, onWaiting, signal);
    unfinished = undefined;
    return taken;
  } catch (error) {
    if (isUndecided(error)) throw new NotDecided('nothing was decided within two minutes');
    if (error instanceof Refused) unfinished = undefined;
    throw error;
  }
}

async function taking(
  tap: Tap,
  onWaiting: (waiting: Waiting) => void,
  signal: AbortSignal,
): Promise<string | null> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const patience = { ms: until - performance.now(), signal };
    const onAgain = (): void => onWaiting('repeated');
    const { data, response } = await decided(() => ask(tap, signal), { ...patience, onAgain });
    if (response.status === 204 || !data) return null;
    if ('outcome' in data) return data.finding;
    onWaiting('undecided');
    const { outcome } = await decisionOf(data, response, patience);
    if (outcome === 'taken') return data.finding;
    if (performance.now() >= until) throw new NotDecided('each finding went to another person');
    tap.key = newKey(); // it holds nothing: on to the next finding
  }
}

interface TakeAnswer {
  readonly data?: Answers['TakenActAnswer'] | Answers['PendingActAnswer'];
  readonly error?: unknown;
  readonly response: Response;
}

const ask = (tap: Tap, signal: AbortSignal): Promise<TakeAnswer> =>
  answered(
    api.POST('/v1/findings/take-next', {
      params: { query: tap.query, header: { 'Idempotency-Key': tap.key } },
      signal,
    }) as Promise<TakeAnswer>, // which has no content if nothing is left
  );
