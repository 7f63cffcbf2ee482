import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Started, START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';

/** Within which a program ends. Before, it waited for its start, for 25 s at most. */
const AT_ONCE_MS = 2_000;

/** A server that accepts connections and does not answer. */
class SilentServer {
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('error', () => undefined); // the program ends without a goodbye
  });

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

let database: TestDatabase;
beforeAll(async () => {
  built();
  database = await createDatabase();
});
afterAll(() => database.drop());

/** Sends a signal and returns the exit code, and whether the program ended at once. */
async function stopped(program: Started, signal: NodeJS.Signals) {
  const askedAt = performance.now();
  const code = await program.stop(signal);
  return { code, isAtOnce: performance.now() - askedAt < AT_ONCE_MS };
}

const start = (app: string, env: NodeJS.ProcessEnv): Started =>
  Started.program([process.execPath, `dist/apps/${app}/src/main.js`], {
    SHOEPRINT_PORT: '0',
    SHOEPRINT_METRICS_PORT: '0',
    ...env,
  });

describe.each(['api', 'auditor'])('the %s, stopped while it starts', (app) => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends at once with 0 on %s while PostgreSQL accepts connections and does not answer',
    async (signal) => {
      const silent = new SilentServer();
      const program = start(app, { DATABASE_URL: `postgres://a:b@${await silent.listen()}/c` });
      await eventually('a connection', () => silent.connections > 0, START_MS);
      expect(await stopped(program, signal)).toEqual({ code: 0, isAtOnce: true });
      expect(program.said).toMatch(/"stopping"/);
      silent.close();
    },
    START_MS,
  );

  it(
    'ends at once with 0 while PostgreSQL refuses connections',
    async () => {
      const port = await freePort();
      const program = start(app, { DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c` });
      await program.saying(/retrying start: PostgreSQL cannot be reached/);
      expect(await stopped(program, 'SIGTERM')).toEqual({ code: 0, isAtOnce: true });
    },
    START_MS,
  );

  it(
    'ends at once with 0 while brokers accept connections and do not answer',
    async () => {
      const silent = new SilentServer();
      const program = start(app, {
        DATABASE_URL: database.url,
        SHOEPRINT_LOG: 'kafka',
        KAFKA_BROKERS: await silent.listen(),
      });
      await eventually('a connection', () => silent.connections > 0, START_MS);
      expect(await stopped(program, 'SIGTERM')).toEqual({ code: 0, isAtOnce: true });
      silent.close();
    },
    START_MS,
  );
});
