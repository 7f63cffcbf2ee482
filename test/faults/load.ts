import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { simulate } from '#audit';
import { partitionOf } from '#event-log';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { PARTITIONS, type System } from './system.js';

/** An acknowledged request: when it was made, and the positions in the log of its events. */
export interface Acknowledged {
  readonly table: string;
  /** The api that acknowledged it. */
  readonly url: string;
  readonly asked: number;
  readonly answered: number;
  readonly positions: readonly { readonly partition: number; readonly next: number }[];
}

/**
 * The ways in which a request ends without an acknowledgement. After each, a gateway sends the same
 * request again.
 */
export type Unanswered = 503 | 504 | 'broken';

export interface LoadOptions {
  /**
   * Repeats every request at once, some of them to all apis at the same moment, and repeats old
   * requests, too.
   */
  readonly duplicates?: boolean;
  /** The most shoes that a table plays in the usual game. */
  readonly shoes?: number;
  /**
   * The tables that send. The load ends by itself, after so many lines of each table (default: all)
   * of its game (default: the usual one).
   */
  readonly only?: {
    readonly tables: readonly string[];
    readonly lines?: number;
    /** Numbers of events in the requests, in turn. */
    readonly cuts?: readonly number[];
    readonly game?: (table: string) => Iterator<string>;
  };
}

const REQUEST_MS_MAX = 15_000;
/**
 * Pause between a sender's requests, so that the load lasts and does not slow down what is
 * measured.
 */
const BETWEEN_MS = 20;
const AGAIN_MS = 100;
/** Longest time that a sender retries one request. */
const PATIENCE_MS = 90_000;
const SHOES = 40;
/**
 * Faults of the tables. The first is in the first coup, so that a short round has findings, too.
 */
const FAULTS = [
  'TC-05@1',
  'PY-03@1',
  'RS-02@3',
  'CM-02@3',
  'DL-02@4',
  'BT-01@5',
  'PY-01@6',
  'TC-07@8',
  'CM-01@12',
  'PY-02@20',
];
const RULES = BOOK.get('punto-banco@1') as NonNullable<ReturnType<typeof BOOK.get>>;
/** Numbers of events in the requests of a sender, in turn. */
const CUTS: readonly (readonly number[])[] = [[1], [1, 1, 1, 7, 1, 40]];

let tablesMade = 0;

/**
 * Simulates tables that play and send events as gateways do: in order, on kept-alive connections,
 * and each request again until it is acknowledged.
 */
export class Load {
  readonly acknowledged: Acknowledged[] = [];
  readonly unanswered: Record<Unanswered, number> = { 503: 0, 504: 0, broken: 0 };
  /** Acknowledged lines, by table, in order. */
  readonly lines = new Map<string, string[]>();
  events = 0;
  /** Requests that got no answer at all within 15 seconds. */
  hung = 0;
  private isRunning = true;
  private isAbandoned = false;
  /** The tables that send. */
  readonly tables: readonly string[];
  private readonly senders: Promise<void>[];

  private constructor(
    private readonly system: System,
    private readonly key: string,
    private readonly options: LoadOptions,
  ) {
    this.tables = options.only?.tables ?? newTables(CUTS.length);
    this.senders = this.tables.map((table, i) =>
      this.send(table, options.only?.cuts ?? (CUTS[i % CUTS.length] as number[])),
    );
    for (const sender of this.senders) sender.catch(() => undefined); // `finished` rejects
  }

  /** Starts a load with a key of its own, since a key may bring a limited number of tables. */
  static async start(system: System, options: LoadOptions = {}): Promise<Load> {
    return new Load(system, await system.deviceKey(), options);
  }

  /** Resolves once a load that ends by itself has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.senders);
  }

  /**
   * Sends all requests at the same moment, each until it is acknowledged. They are events of one
   * table whose order does not matter.
   */
  async flood(table: string, requests: readonly (readonly string[])[]): Promise<void> {
    this.lines.set(table, requests.flat());
    const agent = new Agent({ keepAlive: true });
    await Promise.all(requests.map((lines, i) => this.deliver({ agent, table, lines }, i))).finally(
      () => agent.destroy(),
    );
    this.events += requests.flat().length;
  }

  /** Resolves once this many more events are acknowledged. */
  async more(events: number): Promise<void> {
    const from = this.events;
    await Promise.race([
      eventually(`${events} more events acknowledged`, () => this.events >= from + events, 60_000),
      this.failed(),
    ]);
  }

  /**
   * Starts no new events and resolves once every event that was sent is acknowledged. Rejects if a
   * request was answered with an unexpected status.
   */
  async finished(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.senders);
  }

  /** Stops all sending, including retries, because the round has failed. */
  async abandon(): Promise<void> {
    this.isAbandoned = true;
    this.isRunning = false;
    await Promise.allSettled(this.senders);
  }

  /** Never resolves. Rejects if a sender fails. */
  private failed(): Promise<never> {
    return new Promise((_, reject) => {
      for (const sender of this.senders) sender.catch(reject);
    });
  }

  private async send(table: string, cuts: readonly number[]): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const sent: string[] = [];
    this.lines.set(table, sent);
    const { only } = this.options;
    const lines = only?.game?.(table) ?? simulated(table, this.options.shoes ?? SHOES, FAULTS);
    try {
      const most = only?.lines ?? Infinity;
      for (let turn = 0; this.isRunning && sent.length < most; turn += 1) {
        const chunk = take(lines, Math.min(cuts[turn % cuts.length] as number, most - sent.length));
        if (chunk.length === 0 && only) break;
        if (chunk.length === 0)
          throw new Error(`${table} has nothing more to send: a round took too long`);
        await this.deliver({ agent, table, lines: chunk }, turn);
        sent.push(...chunk);
        this.events += chunk.length;
        if (this.options.duplicates) await this.again({ agent, table, lines: chunk }, turn, sent);
        await pause(BETWEEN_MS);
      }
    } finally {
      agent.destroy();
    }
  }

  /**
   * Sends the request again to each api at the same moment, and an old request every fifth time.
   */
  private async again(delivery: Delivery, turn: number, sent: readonly string[]): Promise<void> {
    const old = turn % 5 === 4 ? [sent.slice(Math.floor(sent.length / 2)).slice(0, 9)] : [];
    await Promise.all(
      [delivery.lines, ...old].flatMap((lines) =>
        this.system.urls.map((_, api) => this.deliver({ ...delivery, lines }, api)),
      ),
    );
  }

  /** Sends a request until it is acknowledged. Each attempt uses the next api. */
  private async deliver({ agent, table, lines }: Delivery, first: number): Promise<void> {
    const { key } = this;
    const { urls } = this.system;
    const until = performance.now() + PATIENCE_MS;
    for (let attempt = 0; ; attempt += 1) {
      const asked = performance.now();
      if (this.isAbandoned || asked > until)
        throw new Error(`nothing was acknowledged for ${PATIENCE_MS} ms, or the round has failed`);
      const url = urls[(first + attempt) % urls.length] as string;
      const answer = await post({ agent, url, key, lines });
      if (answer.status === 202) {
        this.acknowledged.push({
          table,
          url,
          asked,
          answered: performance.now(),
          positions: positionsOf(answer.position),
        });
        return;
      }
      if (answer.status !== 503 && answer.status !== 504 && answer.status !== 'broken')
        throw new Error(
          `events were answered ${answer.status}: ${answer.body}\n${this.system.lastWords()}`,
        );
      this.unanswered[answer.status] += 1;
      if (answer.isHung) this.hung += 1;
      await pause(AGAIN_MS);
    }
  }
}

/** Returns the lines of a table at which punto banco is played, with these faults. */
export const simulated = (
  table: string,
  shoes: number,
  faults: readonly string[],
): Iterable<string> & Iterator<string> =>
  simulate({ rules: RULES, table, seed: table, shoes, bets: true, currency: 'MOP', faults }).lines;

/** Returns this many new tables for each partition, with unused names. */
export function newTables(each: number): string[] {
  const tables: string[] = [];
  for (let partition = 0; partition < PARTITIONS; partition += 1)
    for (let nth = 0; nth < each;) {
      const table = `F${(tablesMade += 1)}`;
      if (partitionOf(table, PARTITIONS) !== partition) continue;
      tables.push(table);
      nth += 1;
    }
  return tables;
}

function take(lines: Iterator<string>, count: number): string[] {
  const taken: string[] = [];
  for (let next = lines.next(); !next.done; next = lines.next()) {
    taken.push(next.value);
    if (taken.length === count) break;
  }
  return taken;
}

/** A request of a table, which any api may take. */
interface Delivery {
  readonly agent: Agent;
  readonly table: string;
  readonly lines: readonly string[];
}

interface Posting {
  readonly agent: Agent;
  readonly url: string;
  readonly key: string;
  readonly lines: readonly string[];
}

/** The answer to a request; `broken` if none came. */
interface Answered {
  readonly status: number | 'broken';
  /** Whether the sender gave up waiting. */
  readonly isHung?: boolean;
  readonly body: string;
  readonly position: string;
}

/** Posts a single event as one CloudEvent and several as lines. */
function post({ agent, url, key, lines }: Posting): Promise<Answered> {
  const body = Buffer.from(lines.join('\n'));
  const type = lines.length === 1 ? 'application/cloudevents+json' : 'application/x-ndjson';
  const signal = AbortSignal.timeout(REQUEST_MS_MAX);
  return new Promise((resolve) => {
    const broken = (error: Error): void =>
      resolve({
        status: 'broken',
        isHung: signal.aborted,
        body: error.message,
        position: '',
      });
    const asked = request(
      `${url}/v1/events`,
      {
        method: 'POST',
        agent,
        signal,
        headers: {
          'content-type': type,
          'content-length': body.length,
          authorization: `Bearer ${key}`,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        answer.on('error', broken);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode as number,
            body: text,
            position: String(answer.headers['log-position'] ?? ''),
          }),
        );
      },
    );
    asked.on('error', broken);
    asked.end(body);
  });
}

const positionsOf = (text: string): Acknowledged['positions'] =>
  text
    .split(',')
    .filter(Boolean)
    .map((each) => {
      const [partition, next] = each.split(':').map(Number) as [number, number];
      return { partition, next };
    });
