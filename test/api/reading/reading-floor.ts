import { FINDING_CODES, simulateTables } from '#audit';
import { MemoryLog } from '#event-log';
import type { Answer } from '../../kit/api.js';
import { BOOK } from '../../kit/house.js';
import { startServer, type TestServer } from '../../kit/server.js';

/**
 * Three tables: an ordinary name, one that looks like a formula to a spreadsheet, and one with
 * every character that a path must escape.
 */
export const TABLES = ['B07', '=B08', 'ä/庄 #%9'] as const;
const LINES = 'application/x-ndjson';

/** Returns the lines of a floor's day with every fault that its rules allow. */
export const dayLines = (tables: readonly string[] = TABLES, seed = 'reading'): string[] => [
  ...simulateTables({
    rules: BOOK.get('punto-banco@1') as never,
    tables,
    shoes: 2,
    seed,
    bets: true,
    currency: 'MOP',
    faults: FINDING_CODES.filter((code) => !['DL-05', 'PY-05', 'PR-07'].includes(code)),
  }).lines,
];

/** Starts a server over a memory log whose rows contain that day. */
export class ReadingFloor {
  private constructor(
    readonly server: TestServer,
    readonly log: MemoryLog,
    /** The scope of a key that may write everything. */
    readonly device: string,
    /** An account that may read everything, at every table. */
    readonly reader: string,
  ) {}

  static async open(lines: readonly string[] = dayLines()): Promise<ReadingFloor> {
    const log = new MemoryLog({ partitions: 4 });
    const server = await startServer(async () => log, { keyTablesMax: 10_000 });
    const floor = new ReadingFloor(
      server,
      log,
      await server.api.device(),
      await server.api.person(['compliance', 'surveillance', 'pit-boss', 'finance', 'regulator']),
    );
    if (lines.length > 0) await floor.send(lines);
    await floor.caughtUp();
    return floor;
  }

  /** Sends lines, and returns the `Log-Position` of the response. */
  async send(lines: readonly string[]): Promise<string> {
    let position = '';
    for (let at = 0; at < lines.length; at += 5_000) {
      const { statusCode, body, headers } = await this.server.api.app.inject({
        method: 'POST',
        url: '/v1/events',
        payload: lines.slice(at, at + 5_000).join('\n'),
        headers: { 'content-type': LINES, authorization: `Bearer ${this.device}` },
      });
      if (statusCode !== 202) throw new Error(`POST /v1/events answered ${statusCode} ${body}`);
      position = headers['log-position'] as string;
    }
    return position;
  }

  /** Resolves once the rows have followed the log to its end. */
  caughtUp(): Promise<void> {
    return this.server.caughtUp();
  }

  get(
    path: string,
    {
      token = this.reader,
      headers = {},
    }: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answer> {
    return this.server.api.app.inject({
      method: 'GET',
      url: path,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  }

  /** Returns the JSON response of a path. Throws if the request is refused. */
  async read<Body>(path: string, token = this.reader): Promise<Body> {
    const answer = await this.get(path, { token });
    if (answer.statusCode !== 200)
      throw new Error(`GET ${path} answered ${answer.statusCode} ${answer.body}`);
    return answer.json<Body>();
  }

  /** Returns every line of a list, with so many on a page. */
  async lines<Line>(path: string, limit = 1000, token = this.reader): Promise<Line[]> {
    const lines: Line[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { lines: Line[]; next?: string | null } = await this.read(
        `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        token,
      );
      if (page.lines.length > limit)
        throw new Error(
          `GET ${path} gave ${page.lines.length} lines where ${limit} were asked for`,
        );
      lines.push(...page.lines);
      cursor = page.next ?? null;
    }
    return lines;
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** The lists, and the reports whose lines come in pages. */
export const LISTS = ['/v1/tables', '/v1/shoes', '/v1/coups', '/v1/findings?status=all'] as const;
export const PAGED_REPORTS = [
  ...['seat', 'shoe', 'table', 'dealer', 'day'].map((by) => `/v1/reports/commission?by=${by}`),
  '/v1/reports/commission/coups',
  '/v1/reports/payouts/coups',
  '/v1/reports/misdealt',
  '/v1/reports/shoes',
  '/v1/reports/devices',
] as const;
export const REPORTS = [...PAGED_REPORTS, '/v1/reports/dealers', '/v1/reports/payouts'] as const;

/** Returns a path with a query added. */
export const withQuery = (path: string, query: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${query}`;
