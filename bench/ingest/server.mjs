// One contestant in a process of its own. Reports its port (and token) to the parent and serves
// until the parent stops it.
//   shoeprint   the whole api; its log collects the lines that it receives and drops them
//   fastify     bare Fastify with the same rules as an ajv schema; appends nothing
//   light       bare Fastify with a schema of the attributes alone
//   node        node:http, JSON.parse and a guard by hand
import { createServer } from 'node:http';
import Fastify from 'fastify';
import { EVENT_SCHEMA, LIGHT_SCHEMA } from './event-schema.mjs';

/** @type {(message: { port: number, token?: string }) => void} */
const ready = (message) => void process.send?.(message);

/** @type {(server: import('node:http').Server) => number} */
const portOf = (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

const HEALTH = { reachable: true, takesRecords: true, powerSafe: false, notes: [] };

/** Returns a log that batches what it is handed and drops it. */
async function droppingLog() {
  const { EventLog } = await import('#event-log');
  const { Batcher } = await import('#built/libs/event-log/src/batcher');
  /** @type {number[]} */
  const heads = new Array(16).fill(0);
  const batcher = new Batcher({
    partitions: heads.length,
    queues: 1,
    queueOf: () => 0,
    sendBytesMax: 1024 * 1024,
    send: async (batches) =>
      batches.map(({ partition, records }) => {
        const first = heads[partition] ?? 0;
        heads[partition] = first + records.length;
        return first;
      }),
  });
  return new (class extends EventLog {
    id = 'bench';
    partitions = heads.length;
    /** @override @param {import('#event-log').Appending} appending */
    append(appending) {
      return batcher.append(appending);
    }
    /** @override */
    async read() {
      return [];
    }
    /** @override @param {number} partition */
    async head(partition) {
      return heads[partition] ?? 0;
    }
    /** @override @returns {import('#event-log').Follower} */
    follow() {
      throw new Error('this log drops its records');
    }
    /** @override */
    async health() {
      return { ...HEALTH, ...batcher.stats() };
    }
    /** @override */
    close() {
      return batcher.close();
    }
  })();
}

/** @type {(text: string) => unknown[]} */
const linesIn = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** @param {string} databaseUrl */
async function shoeprint(databaseUrl) {
  const { API_DEFAULTS, createApi, migrateAccess } = await import('#api');
  const { CreateKey } = await import('#built/apps/api/src/identity/keys/device-keys');
  const { WriteScope } = await import('#built/apps/api/src/identity/identity');
  const { CommandBus } = await import('@nestjs/cqrs');
  const { installedRules } = await import('#rule-folder');
  await migrateAccess(databaseUrl);
  const app = await createApi({
    settings: API_DEFAULTS,
    log: await droppingLog(),
    databaseUrl,
    book: installedRules(),
    logger: false,
  });
  const { token } = await app.get(CommandBus).execute(
    new CreateKey(
      {
        kind: 'person',
        person: undefined,
        id: 'person/bench',
        roles: ['admin'],
        tables: 'all',
        writes: new WriteScope({ sources: ['*'], tables: ['*'], types: ['*'] }),
      },
      {
        name: `bench-${process.pid}`,
        sources: ['device/*', 'person/*'],
        tables: ['*'],
        types: ['*'],
      },
    ),
  );
  await app.listen(0, '127.0.0.1');
  ready({ port: portOf(app.getHttpServer()), token });
}

/** @param {object} schema */
async function fastify(schema) {
  const app = Fastify({
    bodyLimit: 16 * 1024 * 1024,
    ajv: {
      customOptions: {
        discriminator: true,
        strict: false,
        removeAdditional: false,
        useDefaults: false,
        coerceTypes: false,
      },
    },
  });
  for (const type of ['application/cloudevents+json', 'application/cloudevents-batch+json'])
    app.addContentTypeParser(
      type,
      { parseAs: 'string' },
      async (/** @type {unknown} */ _, /** @type {string} */ body) => JSON.parse(body),
    );
  app.addContentTypeParser(
    'application/x-ndjson',
    { parseAs: 'string' },
    async (/** @type {unknown} */ _, /** @type {string} */ body) => linesIn(body),
  );
  app.post('/one', { schema: { body: schema } }, async (request, reply) =>
    reply.code(202).send({ accepted: request.body ? 1 : 0 }),
  );
  app.post(
    '/many',
    { schema: { body: { type: 'array', items: schema } } },
    async (request, reply) =>
      reply.code(202).send({ accepted: Array.isArray(request.body) ? request.body.length : 0 }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  ready({ port: portOf(app.server) });
}

const isText = (/** @type {unknown} */ value) => typeof value === 'string' && value !== '';
/** @type {(event: unknown) => boolean} */
const guard = (event) => typeof event === 'object' && event !== null && isEvent({ ...event });

/** @type {(event: Record<string, unknown>) => boolean} */
const isEvent = (event) =>
  event.specversion === '1.0' &&
  isText(event.type) &&
  isText(event.source) &&
  isText(event.id) &&
  isText(event.time) &&
  !Number.isNaN(Date.parse(String(event.time))) &&
  isText(event.table) &&
  (event.sequence === undefined ||
    (Number.isSafeInteger(event.sequence) && Number(event.sequence) > 0)) &&
  typeof event.data === 'object' &&
  event.data !== null;

function node() {
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const events =
        request.headers['content-type'] === 'application/x-ndjson'
          ? linesIn(text)
          : [JSON.parse(text)].flat();
      const body = `{"accepted":${events.length}}`;
      response.writeHead(events.every(guard) ? 202 : 400, {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => ready({ port: portOf(server) }));
}

const [kind, databaseUrl = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
// Reports processor time so far in µs. On a shared machine it means more than the clock.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
if (kind === 'shoeprint') await shoeprint(databaseUrl);
else if (kind === 'node') node();
else await fastify(kind === 'fastify' ? EVENT_SCHEMA : LIGHT_SCHEMA);
