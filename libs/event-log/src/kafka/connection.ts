import { asError, TimedOut, within } from '#process';

/** Something with connections of its own, which is thrown away whole. */
interface Client {
  close(): Promise<void>;
}

interface ConnectionOptions<Of extends Client> {
  readonly make: () => Of;
  /** Whether a failure is an answer about the request alone, after which the client is still good. */
  readonly isAnswer: (error: Error) => boolean;
  readonly onNotice: (text: string) => void;
}

/** Since when a request of one kind has failed, without an answer in between. */
interface Failing {
  readonly since: number;
  /** Since when it has failed on the present client. */
  readonly suspectSince: number;
  readonly last: number;
  /** Whether a broker answered last, and refused. */
  readonly isRefused: boolean;
}

/** A client that fails for this long is replaced. */
const SUSPECT_MS_MAX = 1_000;
/** How long the end of a client that was replaced may take. */
const CLOSE_MS_MAX = 5_000;
/** A failure that is older than this says nothing about now. */
const FORGOTTEN_MS = 10_000;

/**
 * A connection to the brokers that recovers by itself. Only answers count, not the client's own
 * state: the client is *connecting* until the first answer, *good* while requests are answered,
 * *suspect* from the first failure on, and replaced whole if one kind of request keeps failing for
 * a second. If a request misses its time limit, the client is replaced at once and not asked again.
 */
export class Connection<Of extends Client> {
  private client: Of;
  private readonly failing = new Map<string, Failing>();
  private readonly ending = new Set<Promise<void>>();
  private isClosed = false;
  private replaced = 0;

  constructor(private readonly options: ConnectionOptions<Of>) {
    this.client = options.make();
  }

  /** How often the client was replaced. */
  get replacements(): number {
    return this.replaced;
  }

  /**
   * Returns for how long a kind of request has failed without an answer in between, in
   * milliseconds: the longest of all kinds that were asked in the last ten seconds.
   */
  standsStillMs(): number {
    return this.longest(() => true);
  }

  /** Returns the same of the requests to which no broker answered at all. */
  unansweredMs(): number {
    return this.longest(({ isRefused }) => !isRefused);
  }

  private longest(counts: (failing: Failing) => boolean): number {
    const now = performance.now();
    const times = [...this.failing.values()]
      .filter((failing) => now - failing.last < FORGOTTEN_MS && counts(failing))
      .map(({ since }) => now - since);
    return Math.max(0, ...times);
  }

  /**
   * Asks the client within a time limit. Rejects as the request does, or with `TimedOut`. `kind`
   * says which requests fail together, for example those of one partition.
   */
  async ask<T>(kind: string, msMax: number, request: (client: Of) => Promise<T>): Promise<T> {
    if (this.isClosed) throw new Error('the log is closed'); // a retry must not open it again
    const { client } = this;
    try {
      const answer = await within(msMax, request(client));
      this.failing.delete(kind);
      return answer;
    } catch (error) {
      if (this.options.isAnswer(asError(error))) this.failing.delete(kind);
      else this.failed(client, kind, asError(error));
      throw error;
    }
  }

  /** Closes the client and those that it replaced. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.end(this.client);
    await Promise.all(this.ending);
  }

  private failed(client: Of, kind: string, error: Error): void {
    const now = performance.now();
    const last = this.failing.get(kind);
    const before = last && now - last.last < FORGOTTEN_MS ? last : undefined;
    const isPresent = client === this.client;
    const suspectSince = isPresent ? (before?.suspectSince ?? now) : now;
    const since = before?.since ?? now;
    this.failing.set(kind, { since, suspectSince, last: now, isRefused: isRefusal(error) });
    if (!isPresent || this.isClosed) return;
    if (hasMissedItsLimit(error)) this.replace(`${kind}: ${error.message}`);
    else if (now - suspectSince >= SUSPECT_MS_MAX)
      this.replace(`${kind} has failed for a second: ${error.message}`);
  }

  private replace(why: string): void {
    const old = this.client;
    this.replaced += 1;
    this.options.onNotice(`replacing a connection to Kafka: ${why}`);
    this.client = this.options.make();
    for (const [kind, failing] of this.failing)
      this.failing.set(kind, { ...failing, suspectSince: performance.now() });
    this.end(old);
  }

  private end(client: Of): void {
    const ended: Promise<void> = within(CLOSE_MS_MAX, client.close())
      .catch((error: unknown) =>
        this.options.onNotice(`a connection to Kafka did not close: ${String(error)}`),
      )
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }
}

/** Whether a broker answered with a code of the protocol. */
const isRefusal = (error: Error): boolean =>
  'type' in error || (error.cause instanceof Error && isRefusal(error.cause));

/** Whether a request had no answer in time: by our limit or by that of kafkajs. */
const hasMissedItsLimit = (error: Error): boolean =>
  error instanceof TimedOut ||
  error.name === 'KafkaJSRequestTimeoutError' ||
  (error.cause instanceof Error && hasMissedItsLimit(error.cause));
