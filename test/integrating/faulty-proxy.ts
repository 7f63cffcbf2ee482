import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the proxy does to a request. */
type Fate = 'cut before' | 'cut after' | '503' | '504 after' | 'pass';

/** What befalls the requests with events, in turn; all later ones pass. */
const FATES: readonly Fate[] = [
  'cut before',
  '503',
  '504 after',
  'pass',
  'cut after',
  '503',
  'pass',
];

/** A proxy before the api that loses requests and answers, as a network does. */
export class FaultyProxy {
  /** How many requests with events came. */
  requests = 0;
  private readonly server: Server;

  private constructor(private readonly api: URL) {
    this.server = createServer((received, answer) => void this.take(received, answer));
  }

  static async before(url: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(new URL(url));
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(received: IncomingMessage, answer: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of received) pieces.push(piece as Buffer);
    const fate = FATES[this.requests] ?? 'pass';
    this.requests += 1;
    if (fate === 'cut before') return void received.socket.destroy();
    if (fate === '503') return void problem(answer, 503);
    const [status, body] = await this.forward(received, Buffer.concat(pieces));
    if (fate === 'cut after') return void received.socket.destroy();
    if (fate === '504 after') return void problem(answer, 504);
    answer.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }

  private forward(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<[number, Buffer]> {
    return new Promise((resolve, reject) => {
      const { host: _host, ...others } = headers;
      const asked = request(
        new URL(url ?? '/', this.api),
        { method, headers: others },
        (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.on('end', () => resolve([answer.statusCode ?? 0, Buffer.concat(pieces)]));
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }
}

const problem = (answer: ServerResponse, status: number): ServerResponse =>
  answer
    .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '1' })
    .end(JSON.stringify({ type: 'urn:shoeprint:problem:not-recorded', status }));
