import { TcpProxy } from './tcp-proxy.js';

/** A proxy in front of PostgreSQL that goes silent without closing anything. */
export class SilentProxy extends TcpProxy {
  /** Listens on a free port for the server of a database. Returns the database's address through it. */
  static async beforeDatabase(databaseUrl: string): Promise<{ proxy: SilentProxy; url: string }> {
    const url = new URL(databaseUrl);
    const proxy = await new SilentProxy(Number(url.port || 5432)).listening();
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    return { proxy, url: url.href };
  }

  /**
   * Makes the connections that are there half-open for ever: nothing passes on them again, and
   * neither side learns of it. New ones work, as after a firewall forgot the old ones.
   */
  loseConnections(): void {
    this.silence()();
  }
}
