import { setTimeout as wait } from 'node:timers/promises';
import type { Spool } from '#spool';
import { ApiConnection, type ApiConfiguration, REQUEST_MS } from './connection.js';
import { LARGEST, RequestSize } from './request-size.js';
import type { EventPosition } from '../desk/skip.js';
import { Undelivered, type EventsRequest } from './undelivered.js';
import { verdictOf, type Verdict } from './verdict.js';

/** The state of delivery. Times are milliseconds since 1970. */
export type DeliveryState =
  /** Everything that was spooled over 2 seconds ago is delivered. */
  | { readonly is: 'fresh' }
  /** Events wait, and the api takes them. */
  | { readonly is: 'behind'; readonly oldestAt: number }
  /** The api takes nothing now. The same events are sent again by themselves. */
  | { readonly is: 'waiting'; readonly why: string; readonly oldestAt: number }
  /** The api refuses. Events are sent again, and a person must mend something. */
  | {
      readonly is: 'blocked';
      readonly why: string;
      /** The first event that the api names. */
      readonly event?: EventPosition;
      readonly oldestAt: number;
    };

/** What was delivered since the start. */
export interface DeliveryFigures {
  /** Events that were answered 202. */
  readonly delivered: number;
  /** Requests with events, by what became of them. */
  readonly requests: Readonly<Record<'taken' | 'waiting' | 'halved' | 'blocked', number>>;
  /** When the last of them were, or null. */
  readonly lastDeliveredAt: number | null;
  /** How often the api did not say who asks, while there was nothing to deliver. */
  readonly failedLooks: number;
}

/** Times of a delivery, in milliseconds. */
export interface DeliveryTimes {
  /** The longest that one request may take. */
  readonly requestMs: number;
  /** The longest pause after a first failure. It doubles with each further one. */
  readonly pauseMs: number;
  /** The longest pause after any failure. */
  readonly pauseMsMax: number;
  /** Between two tries while the api refuses. */
  readonly blockedMs: number;
  /** Without an answer for so long, the gateway asks who it is, to show that it is there. */
  readonly lookMs: number;
  /** Events that are not delivered for so long make the gateway behind. */
  readonly freshMs: number;
}

const TIMES: DeliveryTimes = {
  requestMs: REQUEST_MS,
  pauseMs: 250,
  pauseMsMax: 30_000,
  blockedMs: 30_000,
  lookMs: 30_000,
  freshMs: 2_000,
};

/** A line that is too slow for a request stays too slow, so it is halved after so many tries. */
const TRIES_OF_A_SIZE = 3;
/** How long the state stays `behind` while more is read. */
const READING_MS = 1_000;

/** What a delivery needs. */
export interface DeliveryOptions {
  readonly spool: Spool;
  readonly api: ApiConfiguration;
  /** Returns whether a person decided that an event is not delivered. */
  readonly isSkipped: (position: EventPosition) => boolean;
  /** Called with the new state when the api stops or goes on taking events, or for a new reason. */
  readonly journal: (state: DeliveryState) => void;
  /** Returns the wall clock in milliseconds since 1970. */
  readonly clock?: () => number;
  readonly times?: Partial<DeliveryTimes>;
}

interface Trouble {
  readonly is: 'waiting' | 'blocked';
  readonly why: string;
  readonly event?: EventPosition;
}

/**
 * Sends the contents of a spool to the api, in order and one request at a time, until each was
 * answered 202. Gives up on nothing.
 */
export class Delivery {
  private readonly times: DeliveryTimes;
  private readonly clock: () => number;
  private readonly connection: ApiConnection;
  private readonly size = new RequestSize();
  private readonly held = new Undelivered();
  /** The last line that was read. */
  private readTo: number;
  /** When lines were read last, by the monotonic clock. */
  private readAt = 0;
  /** The request under way, until it is taken or must be made differently. */
  private request: EventsRequest | undefined;
  /** Tries of this request that failed. */
  private failures = 0;
  /** Tries in a row that were too slow or broke. */
  private unanswered = 0;
  private trouble: Trouble | undefined;
  /** What was delivered last while the gateway was behind, until more is read. */
  private leftBehind: { readonly oldestAt: number; readonly since: number } | undefined;
  private wakeUp: AbortController | undefined;
  private isRetryAsked = false;
  /** When the api was asked something last, by the monotonic clock. */
  private askedAt = performance.now();
  private readonly counted = {
    delivered: 0,
    requests: { taken: 0, waiting: 0, halved: 0, blocked: 0 },
    lastDeliveredAt: null as number | null,
    failedLooks: 0,
  };

  constructor(private readonly options: DeliveryOptions) {
    this.times = { ...TIMES, ...options.times };
    this.clock = options.clock ?? Date.now;
    this.connection = new ApiConnection(options.api, this.times.requestMs);
    this.readTo = options.spool.figures.sent;
  }

  /** Returns the state at this moment. */
  get state(): DeliveryState {
    const { oldestAt } = this.held;
    if (oldestAt !== undefined && this.trouble) return { ...this.trouble, oldestAt };
    if (oldestAt !== undefined) return this.isBehind ? { is: 'behind', oldestAt } : { is: 'fresh' };
    const { leftBehind } = this;
    return leftBehind && performance.now() - leftBehind.since < READING_MS
      ? { is: 'behind', oldestAt: leftBehind.oldestAt }
      : { is: 'fresh' };
  }

  /** Returns the figures at this moment. */
  get figures(): DeliveryFigures {
    return { ...this.counted, requests: { ...this.counted.requests } };
  }

  /** Tries again at once, such as after a person skipped an event. */
  retry(): void {
    this.isRetryAsked = true;
    this.wakeUp?.abort();
  }

  /**
   * Delivers until `signal` is aborted, and resolves then. A request under way is broken off, and
   * the next start sends it again. Rejects if the spool is closed before, or for a bug. Call it
   * once.
   */
  async run(signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      const jobs = [this.deliverAll(ending.signal), this.showPresence(ending.signal)];
      await Promise.all(jobs).finally(() => {
        end();
        return Promise.allSettled(jobs);
      });
    } finally {
      signal.removeEventListener('abort', end);
      this.connection.close();
    }
  }

  private async deliverAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.held.oldestAt === undefined) await this.read(signal);
      else await this.send(signal);
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    try {
      const lines = await this.options.spool.read(this.readTo, LARGEST, signal);
      this.held.take(lines);
      this.readTo = lines.at(-1)?.n ?? this.readTo;
      this.readAt = performance.now();
      this.leftBehind = undefined;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async send(signal: AbortSignal): Promise<void> {
    if (this.isRetryAsked) this.request = undefined;
    this.isRetryAsked = false;
    this.request ??= this.held.next(this.size.of(this.isBehind), this.options.isSkipped);
    const { request } = this;
    if (request.positions.length === 0) return void this.goOn(request);
    const asked = { method: 'POST', path: 'v1/events', lines: request.lines } as const;
    const answer = await this.connection.request(asked, signal);
    if (signal.aborted) return;
    this.askedAt = performance.now();
    const verdict = verdictOf(answer, { now: this.clock(), key: this.options.api.key });
    const pauseMs = this.take(verdict, request);
    if (pauseMs > 0) await this.pause(pauseMs, signal);
  }

  /** Acts on a verdict. Returns how long to pause, in milliseconds. */
  private take(verdict: Verdict, request: EventsRequest): number {
    switch (verdict.is) {
      case 'taken':
        this.counted.delivered += request.positions.length;
        this.counted.lastDeliveredAt = this.clock();
        this.counted.requests.taken += 1;
        this.size.wasTaken();
        this.goOn(request);
        return 0;
      case 'again':
        return this.waitFor(verdict, request);
      case 'too-large':
        if (request.positions.length === 1)
          return this.block(`the event is too large: ${verdict.why}`, request.positions[0]);
        this.sendFewer(request);
        return 0;
      case 'refused':
        return this.refuse(verdict, request);
    }
  }

  /** Moves on behind a request. */
  private goOn(request: EventsRequest): void {
    const { oldestAt } = this.held;
    const { spool } = this.options;
    if (oldestAt !== undefined && this.isBehind && spool.figures.last > this.readTo)
      this.leftBehind = { oldestAt, since: performance.now() };
    const delivered = this.held.remove(request.end);
    if (delivered !== undefined) spool.delivered(delivered);
    this.request = undefined;
    this.failures = 0;
    this.unanswered = 0;
    this.setTrouble(undefined);
  }

  private sendFewer(request: EventsRequest): void {
    this.counted.requests.halved += 1;
    this.size.wasTooLarge(request);
    this.request = undefined;
  }

  private waitFor(
    { why, afterMs, isPerhapsTooLarge }: Extract<Verdict, { is: 'again' }>,
    request: EventsRequest,
  ): number {
    this.counted.requests.waiting += 1;
    this.failures += 1;
    this.setTrouble({ is: 'waiting', why });
    this.unanswered = isPerhapsTooLarge ? this.unanswered + 1 : 0;
    if (this.unanswered === TRIES_OF_A_SIZE && request.positions.length > 1) {
      this.unanswered = 0;
      this.sendFewer(request);
    }
    const { pauseMs, pauseMsMax } = this.times;
    const longest = Math.min(pauseMsMax, pauseMs * 2 ** Math.min(this.failures - 1, 30));
    return Math.max(afterMs, Math.random() * longest);
  }

  private refuse(
    { why, faults }: Extract<Verdict, { is: 'refused' }>,
    { positions }: EventsRequest,
  ): number {
    const [fault] = faults;
    if (!fault) return this.block(why);
    return this.block(
      `${why}: ${fault.pointer}: ${fault.reason}`,
      positions[(fault.position ?? 0) - 1],
    );
  }

  private block(why: string, event?: EventPosition): number {
    this.counted.requests.blocked += 1;
    this.request = undefined; // an event of it may be skipped before the next try
    this.setTrouble({ is: 'blocked', why, ...(event && { event }) });
    return this.times.blockedMs;
  }

  private setTrouble(trouble: Trouble | undefined): void {
    const isNew = JSON.stringify(trouble) !== JSON.stringify(this.trouble);
    this.trouble = trouble;
    if (isNew) this.options.journal(this.state);
  }

  private get isBehind(): boolean {
    const { freshMs } = this.times;
    const { oldestAt = Infinity } = this.held;
    return this.clock() - oldestAt >= freshMs || performance.now() - this.readAt >= freshMs;
  }

  /** Waits until `retry` is called or `signal` aborted, and at most so long. */
  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.isRetryAsked) return;
    this.wakeUp = new AbortController();
    await waitUnless(this.wakeUp, ms, signal);
    this.wakeUp = undefined;
  }

  /** Asks who the gateway is while nothing else is answered: the api notes when it used its key. */
  private async showPresence(signal: AbortSignal): Promise<void> {
    const { lookMs } = this.times;
    while (!signal.aborted) {
      const leftMs = this.askedAt + lookMs - performance.now();
      if (leftMs > 0) await waitUnless(new AbortController(), leftMs, signal);
      else if (this.held.oldestAt === undefined) await this.look(signal);
      else await waitUnless(new AbortController(), lookMs, signal);
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    const answer = await this.connection.request({ method: 'GET', path: 'v1/me' }, signal);
    this.askedAt = performance.now();
    const isFine = answer.is === 'answer' && answer.status === 200;
    if (!isFine && !signal.aborted) this.counted.failedLooks += 1;
  }
}

/** Waits, unless `waking` or `signal` is aborted. */
async function waitUnless(waking: AbortController, ms: number, signal: AbortSignal): Promise<void> {
  const wake = (): void => waking.abort();
  signal.addEventListener('abort', wake, { once: true });
  if (signal.aborted) wake();
  await wait(ms, undefined, { signal: waking.signal }).catch(() => undefined); // it was woken
  signal.removeEventListener('abort', wake);
}
