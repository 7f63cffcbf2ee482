import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** The sockets of one connection through a proxy. */
interface Link {
  readonly sockets: readonly [Socket, Socket];
  isLost: boolean;
}

/**
 * A proxy in front of PostgreSQL that goes silent without closing anything:
 *
 * - `silence`: it accepts connections, and nothing passes in either direction, until it goes on. What
 *   was held then passes on, as after a stop of the network or of the server.
 * - `loseConnections`: the connections that are there are half-open. Nothing ever passes on them
 *   again, neither side learns of it, and new connections work, as after a firewall forgot them.
 */
export class SilentProxy extends TcpProxy {
  readonly #links = new Set<Link>();
  #isSilent = false;
  #joined = 0;

  /** Listens on a free port for the server of a database. Returns the database's address through it. */
  static async beforeDatabase(databaseUrl: string): Promise<{ proxy: SilentProxy; url: string }> {
    const url = new URL(databaseUrl);
    const proxy = await new SilentProxy(Number(url.port || 5432)).listening();
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    return { proxy, url: url.href };
  }

  /** The number of connections that were ever made through it. */
  get joined(): number {
    return this.#joined;
  }

  /** Lets nothing pass until the returned function is called. */
  silence(): () => void {
    this.#isSilent = true;
    for (const { sockets } of this.#links) for (const socket of sockets) socket.pause();
    return () => {
      this.#isSilent = false;
      for (const { sockets } of this.#links) for (const socket of sockets) socket.resume();
    };
  }

  /** Makes the connections that are there half-open for ever. New ones work. */
  loseConnections(): void {
    for (const link of this.#links) link.isLost = true;
  }

  protected override forward(client: Socket, server: Socket): void {
    const link: Link = { sockets: [client, server], isLost: false };
    this.#links.add(link);
    this.#joined += 1;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (bytes) => link.isLost || to.write(bytes));
      from.on('close', () => this.#links.delete(link));
      if (this.#isSilent) from.pause();
    }
  }
}
