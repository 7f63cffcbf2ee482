import { randomUUID } from 'node:crypto';
import type { ApiSettings, Role } from '#api';
import { canonicalLine, stamped } from '#audit';
import { MemoryLog, partitionOf } from '#event-log';
import type { Review } from '#read-model';
import type { Answer, PersonOptions } from './api.js';
import { eventually } from './eventually.js';
import { startServer, type TestServer } from './server.js';
import { faultyCoup } from './reviewed-table.js';
import type { Sent } from './audit.js';
import { TableLog } from './table.js';

const LINES = 'application/x-ndjson';
const VIEWED = 'shoeprint.finding-viewed.v1';
/** The digest of no evidence. */
export const NO_EVIDENCE = '0'.repeat(64);

/** What a command on a finding answers, whatever its status. */
export interface Acted {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly body: {
    readonly type?: string;
    readonly outcome?: string;
    readonly ref: string;
    readonly finding: string;
    readonly as?: string;
    readonly review: Review;
    readonly detail?: string;
    readonly errors?: readonly { readonly pointer: string; readonly reason: string }[];
  };
}

/** An api and an auditor over a memory log, tables with findings, and people who review them. */
export class ReviewFloor {
  private readonly logs = new Map<string, TableLog>();
  private readonly sent = new Map<string, number>();
  private device = '';
  private reader = '';

  private constructor(
    readonly server: TestServer,
    readonly log: MemoryLog,
  ) {}

  static async open(settings: Partial<ApiSettings> = {}): Promise<ReviewFloor> {
    const log = new MemoryLog({ partitions: 2 });
    const floor = new ReviewFloor(await startServer(async () => log, settings), log);
    floor.device = await floor.server.api.device();
    floor.reader = await floor.server.api.person('regulator');
    return floor;
  }

  /**
   * Appends what a table does as another process would, while a send of the server may be held
   * back.
   */
  async playBesides(table: string, what: (log: TableLog) => void): Promise<void> {
    const other = new MemoryLog({ store: this.log.store });
    const lines = this.played(table, what).map((event) =>
      stamped(canonicalLine(JSON.stringify(event)), 'key/other', event.time as string),
    );
    const records = lines.map((line) => ({ key: table, value: Buffer.from(line) }));
    const partition = partitionOf(table, other.partitions);
    await other.append({ partition, records, urgency: 'live' });
    await other.close();
  }

  /** Returns the events of what a table does now. */
  private played(table: string, what: (log: TableLog) => void): readonly Sent[] {
    const log = this.logs.get(table) ?? new TableLog(table);
    this.logs.set(table, log);
    what(log);
    const events = log.events.slice(this.sent.get(table) ?? 0);
    this.sent.set(table, log.events.length);
    return events;
  }

  /** Sends what a table does, and resolves once the rows have it. */
  async play(table: string, what: (log: TableLog) => void): Promise<TableLog> {
    const events = this.played(table, what);
    const { statusCode, body, headers } = await this.server.api.app.inject({
      method: 'POST',
      url: '/v1/events',
      payload: events.map((event) => JSON.stringify(event)).join('\n'),
      headers: { 'content-type': LINES, authorization: `Bearer ${this.device}` },
    });
    if (statusCode !== 202) throw new Error(`POST /v1/events answered ${statusCode} ${body}`);
    const position = { 'min-position': headers['log-position'] as string };
    // The server waits for its rows, but not as long as a busy machine may take.
    await eventually(`the rows of ${table}`, async () => {
      const read = await this.get(`/v1/tables?table=${table}`, this.reader, position);
      return read.statusCode === 200;
    });
    return this.logs.get(table) as TableLog;
  }

  /** Plays a coup with TC-08 at a table, dealt by dora, and returns the id of that finding. */
  async faulty(table: string): Promise<string> {
    await this.play(table, (log) => {
      log.open();
      log.dealer('dora');
      faultyCoup(log);
    });
    return this.finding(table, 'TC-08');
  }

  /** Returns the id of a finding of a code at a table. */
  async finding(table: string, code: string): Promise<string> {
    const path = `/v1/findings?table=${table}&code=${code}&status=all`;
    const { lines } = (await this.get(path)).json<{ lines: { id: string }[] }>();
    const [line] = lines;
    if (!line) throw new Error(`no finding ${code} at ${table}`);
    return line.id;
  }

  /** Returns where the review of a finding stands. */
  async review(id: string): Promise<Review> {
    const { lines } = (await this.get('/v1/findings?status=all&limit=1000')).json<{
      lines: { id: string; review: Review }[];
    }>();
    const line = lines.find((each) => each.id === id);
    if (!line) throw new Error(`no finding ${id}`);
    return line.review;
  }

  /** Returns a new person's token. The person is named as the account. */
  person(
    name: string,
    roles: Role | Role[] = 'pit-boss',
    more: PersonOptions = {},
  ): Promise<string> {
    return this.server.api.person(roles, { name, ...more });
  }

  get(
    url: string,
    token = this.reader,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.server.api.app.inject({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  }

  /**
   * Sends a command, under a key of its own unless one is passed; `''` sends none. Sends it again
   * while the session has sent too many.
   */
  post(
    token: string,
    path: string,
    body: object | undefined,
    key: string = randomUUID(),
  ): Promise<Acted> {
    return eventually('a command within the pace of a session', async () => {
      const answer = await this.postOnce(token, path, body, key);
      return answer.status !== 429 && answer;
    });
  }

  /** Sends a command once. */
  async postOnce(
    token: string,
    path: string,
    body: object | undefined,
    key: string = randomUUID(),
  ): Promise<Acted> {
    const answer = await this.server.api.app.inject({
      method: 'POST',
      url: `/v1/findings/${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(key !== '' && { 'idempotency-key': key }),
      },
      ...(body && { payload: body }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.body === '' ? ({} as Acted['body']) : answer.json<Acted['body']>(),
    };
  }

  claim(token: string, id: string, key?: string): Promise<Acted> {
    return this.post(token, `${id}/claim`, { lease: 600 }, key);
  }

  /** Claims a finding and proposes a ruling on its evidence. */
  async propose(token: string, id: string, more: object = {}, key?: string): Promise<Acted> {
    const { body } = await this.claim(token, id);
    const { evidence } = body.review;
    return this.post(token, `${id}/propose`, { ...PROPOSAL, evidence, ...more }, key);
  }

  /** Signs what is proposed. */
  async sign(token: string, id: string, more: object = {}, key?: string): Promise<Acted> {
    const { proposal, evidence } = await this.review(id);
    const data = { proposal: proposal?.ref ?? 'person/nobody#none', evidence };
    return this.post(token, `${id}/sign`, { ...data, ...more }, key);
  }

  /**
   * Returns the lines of acts on the log, as they stand there, without looks at findings: those are
   * sent to the log some time after their request was answered.
   */
  acts(): Record<string, unknown>[] {
    return this.reviewLines().filter(({ type }) => type !== VIEWED);
  }

  /** Returns the lines of looks at findings on the log, as they stand there. */
  looks(): Record<string, unknown>[] {
    return this.reviewLines().filter(({ type }) => type === VIEWED);
  }

  private reviewLines(): Record<string, unknown>[] {
    return Array.from({ length: this.log.partitions }, (_, at) => this.log.store.of(at))
      .flat()
      .flatMap(({ value }) => Buffer.from(value).toString().split('\n'))
      .filter((line) => line.includes('"type":"shoeprint.finding-'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** A proposal that needs nothing else. */
export const PROPOSAL = { disposition: 'dealer-error-corrected', policy: 'review@1' };

/** Returns the name of the problem of an answer, with its status. */
export const refusal = ({ status, body }: Acted): string =>
  `${status} ${status < 400 ? '' : (body.type ?? '').replace('urn:shoeprint:problem:', '')}`;
