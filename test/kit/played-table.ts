import type { ConsoleServer } from './console-server.js';
import { TableLog } from './table.js';

/** A table of a real server that a test plays at, with a key of its own. */
export class PlayedTable {
  readonly log: TableLog;
  private sent = 0;

  private constructor(
    private readonly url: string,
    private readonly secret: string,
    table: string,
  ) {
    this.log = new TableLog(table);
  }

  /** Creates the key, and opens a shoe that dora deals. `opening` is what it says of itself. */
  static async open(
    server: ConsoleServer,
    table: string,
    opening: Parameters<TableLog['open']>[0] = {},
  ): Promise<PlayedTable> {
    const answer = await fetch(`${server.url}/v1/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await server.tokenOf('admin')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        name: `${table}-gateway`,
        sources: [`device/${table}-*`],
        tables: [table],
        types: ['*'],
      }),
    });
    if (answer.status !== 201) throw new Error(`POST /v1/keys answered ${answer.status}`);
    const { token } = (await answer.json()) as { token: string };
    const played = new PlayedTable(server.url, token, table);
    await played.play((log) => {
      log.open(opening);
      log.dealer('dora');
    });
    return played;
  }

  /** Sends what happened since, and resolves once it is on the log. */
  async play(what: (log: TableLog) => void): Promise<void> {
    what(this.log);
    const events = this.log.events.slice(this.sent);
    this.sent = this.log.events.length;
    const answer = await fetch(`${this.url}/v1/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.secret}`,
        'content-type': 'application/x-ndjson',
      },
      body: events.map((event) => JSON.stringify(event)).join('\n'),
    });
    if (answer.status !== 202)
      throw new Error(`POST /v1/events answered ${answer.status} ${await answer.text()}`);
  }
}
