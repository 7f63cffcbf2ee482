import { connect, createServer, type Socket } from 'node:net';

/**
 * Proxies connections between a log and PostgreSQL. While it is `losing`, an append reaches the
 * server and commits, but its answer is lost with the connection.
 */
export class AnswerLoser {
  losing = false;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));

  private constructor(private readonly target: URL) {}

  /** The URL to use instead of the server's. */
  static async before(url: string): Promise<{ loser: AnswerLoser; url: string }> {
    const target = new URL(url);
    const loser = new AnswerLoser(target);
    await new Promise<void>((resolve) => loser.server.listen(0, '127.0.0.1', resolve));
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String((loser.server.address() as { port: number }).port);
    return { loser, url: through.href };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port || 5432), this.target.hostname);
    let isAppending = false;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      isAppending ||= this.losing && chunk.includes('log-append');
      server.write(chunk);
    });
    server.on('data', (chunk) => (isAppending ? client.destroy() : client.write(chunk)));
  }
}
