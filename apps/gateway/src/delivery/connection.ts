import http from 'node:http';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';

/** Where the api is, and what is needed to speak to it. */
export interface ApiConfiguration {
  /** Its address, perhaps with a path, without `/v1`. */
  readonly url: string;
  /** The key of the gateway. */
  readonly key: string;
  /** The certificates in PEM that the certificate of the api needs. Default: those of Node. */
  readonly ca?: string;
}

/** What became of a request. */
export type Answer =
  | {
      readonly is: 'answer';
      readonly status: number;
      /** The body, whole. */
      readonly text: string;
      readonly retryAfter: string | undefined;
      readonly location: string | undefined;
    }
  | {
      readonly is: 'no-answer';
      /** In words, for people. */
      readonly why: string;
      /** Whether the connection was made, so the api may have got the request. */
      readonly wasSent: boolean;
      /** Why the certificate cannot be trusted. Nothing was sent then. */
      readonly untrusted?: string;
    };

/** A request to the api. */
interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Relative to the address of the api, such as `v1/me`. */
  readonly path: string;
  /** Lines of events. */
  readonly lines?: Buffer;
}

/** The longest time from the beginning of a request to the end of its answer. */
export const REQUEST_MS = 60_000;
/** The longest answer: a list of what is wrong with thousands of events. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** A request with events, and one that only shows that the gateway is there. */
const SOCKETS_MAX = 2;

/**
 * The connections to the api. Follows no redirect, because the key would go with it. Writes nothing
 * before the certificate is verified.
 */
export class ApiConnection {
  private readonly base: URL;
  private readonly agent: http.Agent;

  constructor(
    private readonly api: ApiConfiguration,
    private readonly requestMs = REQUEST_MS,
  ) {
    this.base = new URL(api.url.endsWith('/') ? api.url : `${api.url}/`);
    this.agent = this.isSecure
      ? new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, ...(api.ca && { ca: api.ca }) })
      : new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  }

  /**
   * Resolves with the whole answer, or with the reason why it did not come: no connection, no
   * trust, a connection that broke, or over `requestMs` in all. Aborting `signal` breaks the
   * connection.
   */
  request(asked: ApiRequest, signal: AbortSignal): Promise<Answer> {
    const request = this.opened(asked);
    const exchange = new Exchange(request, this.isSecure);
    const stop = (): void => exchange.end('stopped');
    const timer = setTimeout(
      () => exchange.end(`no answer within ${this.requestMs / 1_000} s`),
      this.requestMs,
    );
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return exchange.run(asked.lines).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  }

  /** Closes what is open. */
  close(): void {
    this.agent.destroy();
  }

  private get isSecure(): boolean {
    return this.base.protocol === 'https:';
  }

  private opened({ method, path, lines }: ApiRequest): http.ClientRequest {
    const { agent, api, base } = this;
    const headers = {
      authorization: `Bearer ${api.key}`,
      ...(lines && { 'content-type': 'application/x-ndjson', 'content-length': lines.length }),
    };
    const url = new URL(path, base);
    return this.isSecure
      ? https.request(url, { method, agent, headers, rejectUnauthorized: true })
      : http.request(url, { method, agent, headers });
  }
}

/** One request and its answer. */
class Exchange {
  private socket: TLSSocket | undefined;
  private wasSent = false;
  private settle!: (answer: Answer) => void;
  private readonly settled = new Promise<Answer>((resolve) => (this.settle = resolve));

  constructor(
    private readonly request: http.ClientRequest,
    private readonly isSecure: boolean,
  ) {}

  run(lines: Buffer | undefined): Promise<Answer> {
    const { request } = this;
    request.on('error', (error) => this.broke(error));
    request.on('response', (response) => this.read(response));
    request.on('socket', (socket) => {
      // A socket of plain HTTP has none of the members of TLS.
      this.socket = socket as TLSSocket;
      this.onceConnected(this.socket, () => {
        this.wasSent = true;
        request.end(lines);
      });
    });
    return this.settled;
  }

  /** Ends it without an answer, with the reason in words. */
  end(why: string): void {
    this.settle({ is: 'no-answer', why, wasSent: this.wasSent });
    this.request.destroy();
  }

  /** Calls `send` once the connection is made and its certificate verified. */
  private onceConnected(socket: TLSSocket, send: () => void): void {
    if (!this.isSecure) {
      if (socket.connecting) socket.once('connect', send);
      else send();
    } else if (socket.authorized) send();
    else socket.once('secureConnect', send);
  }

  private read(response: http.IncomingMessage): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX)
        this.end(`answered ${response.statusCode} with more than ${ANSWER_BYTES_MAX} bytes`);
    });
    response.on('error', (error) => this.broke(error));
    response.on('close', () => this.broke(new Error('it was closed')));
    response.on('end', () => {
      if (response.complete) this.answer(response, Buffer.concat(chunks).toString());
    });
  }

  private answer({ statusCode = 0, headers }: http.IncomingMessage, text: string): void {
    const { 'retry-after': retryAfter, location } = headers;
    this.settle({ is: 'answer', status: statusCode, text, retryAfter, location });
    // An answer may come before the end of the request. The rest of it is not sent then.
    if (!this.request.writableFinished) this.request.destroy();
  }

  private broke(error: NodeJS.ErrnoException): void {
    const reason = error.code ?? error.message;
    // Node's types say that it is an error. It is a text, or null.
    const fault = this.wasSent ? null : (this.socket?.authorizationError as unknown);
    if (fault)
      this.settle({
        is: 'no-answer',
        why: `its certificate cannot be trusted (${reason})`,
        wasSent: false,
        untrusted: reason,
      });
    else
      this.settle({
        is: 'no-answer',
        why: this.wasSent
          ? `the connection broke before the whole answer came (${reason})`
          : `cannot be reached (${reason})`,
        wasSent: this.wasSent,
      });
  }
}
