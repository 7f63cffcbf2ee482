import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { numberOf } from '../spool/counting-owner.js';

/** A request with events that arrived. */
export interface Arrived {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly body: string;
  /** The numbers of its events. */
  readonly ids: readonly number[];
  readonly headers: IncomingMessage['headers'];
}

/** How a stand-in treats a request with events. It may answer, cut the connection or be silent. */
export type Behavior = (arrived: Arrived, response: ServerResponse, api: StandInApi) => void;

/** Behaviors, by what happens to the request. */
export const BEHAVIORS = {
  taken: (arrived, response, api) => {
    api.record(arrived);
    answer(response, 202, { accepted: arrived.ids.length });
  },
  'answered 503': (_, response) => answer(response, 503, NOT_RECORDED),
  'answered 503, to come again in a second': (_, response) =>
    answer(response, 503, NOT_RECORDED, { 'retry-after': '1' }),
  'recorded and answered 504': (arrived, response, api) => {
    api.record(arrived);
    answer(response, 504, { detail: 'Some or all of this request may be recorded.' });
  },
  'answered 504': (_, response) => answer(response, 504, {}),
  'answered 500': (_, response) => answer(response, 500, {}),
  'answered 502 with a page': (_, response) => void response.writeHead(502).end('<html>Bad</html>'),
  'answered 429': (_, response) => answer(response, 429, { title: 'Too many requests' }),
  'answered 408': (_, response) => answer(response, 408, {}),
  'recorded and answered half': (arrived, response, api) => {
    api.record(arrived);
    response.writeHead(202, { 'content-length': 100 });
    response.write('{"accepted":');
    setImmediate(() => response.destroy());
  },
  'recorded and cut off': (arrived, response, api) => {
    api.record(arrived);
    response.destroy();
  },
  'cut off': (_, response) => void response.destroy(),
  silence: () => undefined,
  'recorded, then silence': (arrived, _, api) => api.record(arrived),
} as const satisfies Readonly<Record<string, Behavior>>;

const NOT_RECORDED = { title: 'Not recorded', detail: 'Nothing of this request was recorded.' };

/** Answers with a JSON body. */
export function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
  response.end(JSON.stringify(body));
}

/** A real HTTP server in the place of the api, which treats requests as a test wants. */
export class StandInApi {
  readonly arrived: Arrived[] = [];
  /** The numbers of the recorded events, in order of their first arrival. */
  readonly recorded: number[] = [];
  /** Paths that were asked with GET. */
  readonly asked: string[] = [];
  /** How each next request is treated; a request after the last is taken. */
  readonly next: Behavior[] = [];
  /** How a request is treated before its body is read. Returns whether it was. */
  early: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** How a request without a behavior of its own is treated. */
  usual: Behavior = BEHAVIORS.taken;
  /** The status of other answers. */
  otherStatus = 200;
  /** The most requests with events that were open at once. */
  mostOpen = 0;
  private open = 0;
  private readonly known = new Set<number>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.take(request, response),
    );
  }

  /** Starts one on the loopback, with TLS if it has a certificate. */
  static async start(tls?: { readonly cert: Buffer; readonly key: Buffer }): Promise<StandInApi> {
    const server = tls ? createSecureServer(tls) : createServer();
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    return new StandInApi(server, tls ? 'https' : 'http');
  }

  /** Returns its address. */
  url(host = '127.0.0.1'): string {
    return `${this.scheme}://${host}:${(this.server.address() as AddressInfo).port}`;
  }

  /** Records the events of a request, each once. */
  record({ ids }: Arrived): void {
    for (const id of ids) {
      if (!this.known.has(id)) this.recorded.push(id);
      this.known.add(id);
    }
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'GET') {
      this.asked.push(request.url ?? '');
      return answer(response, this.otherStatus, {});
    }
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    response.on('close', () => (this.open -= 1));
    if (this.early(request, response)) return;
    const chunks: Buffer[] = [];
    request.on('error', () => undefined); // the sender broke off
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const ids = body.trimEnd().split('\n').map(numberOf);
      const arrived = { at: performance.now(), body, ids, headers: request.headers };
      this.arrived.push(arrived);
      (this.next.shift() ?? this.usual)(arrived, response, this);
    });
  }
}
