import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openApiDocument } from '#api';
import { jsonLogger, Start } from '#server';
import { endAll, Started, START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';
import { Conformance } from '../kit/conformance.js';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { describeOnKafka, freshTopic, kafkaForTests } from '../kit/kafka.js';
import { TcpProxy } from '../kit/tcp-proxy.js';

let database: TestDatabase;
let folder: string;
beforeAll(() => void built());
beforeEach(async () => {
  database = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'shoeprint-starts-'));
});
afterEach(async () => {
  await endAll();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const start = (app: string, env: NodeJS.ProcessEnv): Started =>
  Started.program([process.execPath, `dist/apps/${app}/src/main.js`], {
    DATABASE_URL: database.url,
    SHOEPRINT_PORT: '0',
    SHOEPRINT_METRICS_PORT: '0',
    SHOEPRINT_PARTITIONS: '2',
    SHOEPRINT_SITE: 'shoeprint.example/starting',
    SHOEPRINT_SEAL_KEY: join(folder, 'log.key'),
    ...env,
  });

/** Returns where a program answers while it starts. */
const whileStarting = async (program: Started): Promise<string> =>
  (await program.saying(/"message":"starting","(?:address|probes)":"([^"]+)"/))[1] as string;
/** Returns where a program answers once it has started. */
const onceStarted = async (program: Started): Promise<string> =>
  (
    await program.saying(
      /"message":"(?:listening|following|sealer started)".*?"(?:url|health)":"([^"]+)"/,
    )
  )[1] as string;

async function asked(url: string, init?: RequestInit) {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Waits until the readiness of a program that starts names what it waits for. */
const saysThat = (url: string, pattern: RegExp): Promise<unknown> =>
  eventually(`readiness that says ${pattern}`, async () => {
    const { status, text } = await asked(`${url}/readyz`);
    expect([status, text]).toEqual([503, expect.stringMatching(pattern)]);
    return true;
  });

async function expectStarts(program: Started): Promise<void> {
  const url = await onceStarted(program);
  await eventually('a program that is ready', async () => {
    const { status, text } = await asked(`${url}/readyz`);
    const { ready } = JSON.parse(text);
    return status === 200 && ready === true;
  });
  expect(await program.stop()).toBe(0);
}

const kafka = await kafkaForTests();

describeOnKafka(
  'while no broker can be reached',
  'skipped' in kafka ? kafka.skipped : undefined,
  () => {
    let proxy: TcpProxy;
    let serveAgain: () => Promise<void>;
    let onKafka: NodeJS.ProcessEnv;
    beforeEach(async () => {
      const [broker = ''] = 'brokers' in kafka ? kafka.brokers : [];
      proxy = await TcpProxy.before(Number(broker.split(':')[1]));
      serveAgain = await proxy.refuse();
      onKafka = {
        SHOEPRINT_LOG: 'kafka',
        KAFKA_BROKERS: `127.0.0.1:${proxy.port}`,
        KAFKA_TOPIC: freshTopic(),
      };
    });
    afterEach(() => proxy.close());

    it.each(['api', 'auditor', 'sealer'])(
      'the %s waits, says so, and starts once one can',
      async (app) => {
        const program = start(app, onKafka);
        const url = await whileStarting(program);
        await saysThat(url, /"Kafka"|"log":\{"ok":false,"notes":\["(?!the server is starting)/);
        await program.saying(/retrying start: Kafka cannot be reached/);
        expect((await asked(`${url}/livez`)).status).toBe(200);
        await serveAgain();
        await expectStarts(program);
      },
      START_MS,
    );

    it(
      'an api keeps nothing that is sent to it, and says that it can be sent again',
      async () => {
        const program = start('api', onKafka);
        const url = await whileStarting(program);
        await saysThat(url, /"log":\{"ok":false,"notes":\["(?!the server is starting)/);
        const { status, headers, text } = await asked(`${url}/v1/events`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-ndjson', authorization: 'Bearer spk_1' },
          body: '{}\n'.repeat(50_000),
        });
        expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([
          503,
          '1',
          'application/problem+json',
        ]);
        expect(JSON.parse(text)).toMatchObject({
          type: expect.stringMatching(/not-ready$/),
          detail: 'the server is starting, and Kafka cannot be reached',
        });
        const conformance = new Conformance(await openApiDocument());
        const ready = await asked(`${url}/readyz`);
        for (const [method, route, answer] of [
          ['POST', '/v1/events', { status, headers, text }],
          ['GET', '/readyz', ready],
        ] as const) {
          const received = { method, route, status: answer.status, body: answer.text };
          const fields = Object.fromEntries(answer.headers);
          expect(conformance.faults({ ...received, headers: fields })).toEqual([]);
        }
        expect(await program.stop()).toBe(0);
      },
      START_MS,
    );
  },
);

describe('while PostgreSQL cannot be reached', () => {
  it.each(['api', 'auditor', 'sealer'])(
    'the %s waits, says so, and starts once it can',
    async (app) => {
      const address = new URL(database.url);
      const proxy = await TcpProxy.before(Number(address.port || 5432));
      try {
        const serveAgain = await proxy.refuse();
        address.hostname = '127.0.0.1';
        address.port = String(proxy.port);
        const program = start(app, { DATABASE_URL: address.href });
        const url = await whileStarting(program);
        await saysThat(url, /"PostgreSQL"|"database":\{"ok":false,"notes":\["(?!the server is)/);
        await program.saying(/retrying start: PostgreSQL cannot be reached/);
        await serveAgain();
        await expectStarts(program);
      } finally {
        await proxy.close();
      }
    },
    START_MS,
  );
});

describe('the start of a program', () => {
  const logger = jsonLogger('test');

  it('waits without end if it is a server, and two minutes if somebody waits for it', () => {
    expect(new Start(logger).reaching.forMs).toBe(Number.POSITIVE_INFINITY);
    expect(Start.ofCommand(logger).reaching.forMs).toBe(120_000);
  });

  it('does not wait for what no wait cures', async () => {
    const start = new Start(logger);
    await expect(
      start.withDatabase(() => Promise.reject(new Error('syntax error'))),
    ).rejects.toThrow('syntax error');
    expect(start.waitsFor).toBeUndefined();
  });
});
