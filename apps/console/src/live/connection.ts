/** A message of the stream: the name of what changed, and its present state as JSON. */
interface LiveEvent {
  readonly event: string;
  readonly data: string;
}

/** What a connection reports: an event, that it is live, that it is not, or that the session ended. */
export type LiveReport =
  | { readonly is: 'event'; readonly event: LiveEvent }
  /** `at` is the positions that the stream has come to, or an empty text if it does not know yet. */
  | { readonly is: 'live'; readonly at: string }
  | { readonly is: 'lost' }
  | { readonly is: 'signed-out' };

/** The server sends a heartbeat every 5 seconds. Without one for this time the stream is lost. */
const SILENCE_MS_MAX = 10_000;
const AGAIN_MS = { least: 1_000, most: 5_000 };
/** Within this time there is a report, whatever happens: after a silence and a pause at the latest. */
export const QUIET_MS_MAX = SILENCE_MS_MAX + AGAIN_MS.most + 1_000;

/** Where a reader of the stream is: the id of the last message that it got, or an empty text. */
export interface StreamPosition {
  lastId: string;
}

/**
 * Follows the stream until `stop`. After a loss it connects again within 1 to 5 seconds and resumes
 * after the last event that it got, so nothing is missed. It begins after `position`, and keeps it
 * up to date, so that the stream can be followed from there later.
 */
export function follow(
  url: string,
  report: (report: LiveReport) => void,
  position: StreamPosition = { lastId: '' },
): { stop(): void } {
  const stopped = new AbortController();
  void followOn(url, report, { position, stopped: stopped.signal });
  return { stop: () => stopped.abort() };
}

async function followOn(
  url: string,
  report: (report: LiveReport) => void,
  { position, stopped }: { readonly position: StreamPosition; readonly stopped: AbortSignal },
): Promise<void> {
  for (;;) {
    const outcome = await connect(url, position.lastId, stopped, (seen) => {
      position.lastId = seen.id ?? position.lastId;
      report(seen.event ? { is: 'event', event: seen.event } : { is: 'live', at: position.lastId });
    });
    if (outcome === 'stopped') return;
    report({ is: outcome });
    if (outcome === 'signed-out') return;
    await pause(AGAIN_MS.least + Math.random() * (AGAIN_MS.most - AGAIN_MS.least));
  }
}

interface Seen {
  readonly id?: string | undefined;
  readonly event?: LiveEvent;
}

/** Reads one connection to its end. */
async function connect(
  url: string,
  lastId: string,
  stopped: AbortSignal,
  seen: (seen: Seen) => void,
): Promise<'lost' | 'signed-out' | 'stopped'> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  if (stopped.aborted) end();
  stopped.addEventListener('abort', end);
  let timer = setTimeout(end, SILENCE_MS_MAX);
  try {
    const answer = await fetch(url, {
      headers: { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: ended.signal,
    });
    if (answer.status === 401) return 'signed-out';
    if (!answer.ok || !answer.body) return 'lost';
    const take = messagesTo(seen);
    seen({});
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return stopped.aborted ? 'stopped' : 'lost';
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS_MAX);
      take(value);
    }
  } catch {
    // Whatever broke the connection, it is made again.
    return stopped.aborted ? 'stopped' : 'lost';
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', end);
  }
}

/**
 * Returns a function that takes the text of a stream as it comes, and reports each whole message. A
 * message without data may have an id: the server sends its position with each heartbeat.
 */
function messagesTo(seen: (seen: Seen) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const messages = (rest + text).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) seen(seenIn(message));
  };
}

/** Reads a message, whose fields have one line each. A line that begins with a colon is a comment. */
function seenIn(message: string): Seen {
  const fields = new Map(
    message.split('\n').map((line) => {
      const [name = '', ...value] = line.split(': ');
      return [name, value.join(': ')] as const;
    }),
  );
  const [id, event, data] = ['id', 'event', 'data'].map((name) => fields.get(name));
  return {
    ...(id !== undefined && { id }),
    ...(event !== undefined && data !== undefined && { event: { event, data } }),
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
