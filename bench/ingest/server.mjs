// One contestant in a process of its own. Reports its port (and token) to the parent and serves
// until the parent stops it.
//   shoeprint   the whole api; its log collects the lines that it receives and drops them
//   fastify     bare Fastify with the same rules as an ajv schema; appends nothing
//   light       bare Fastify with a schema of the attributes alone
//   node        node:http, JSON.parse and a guard by hand
import { createServer } from 'node:http';
import Fastify from 'fastify';
import { EVENT_SCHEMA, LIGHT_SCHEMA } from './event-schema.mjs';

const ready = (message) => process.send(message);

async function shoeprint(databaseUrl) {
  const { createApi } = await import('../../dist/apps/api/src/create-api.js');
  const { API_DEFAULTS } = await import('../../dist/apps/api/src/settings/api-settings.js');
  const { migrateAccess } = await import('../../dist/apps/api/src/identity/access-database.js');
  const { Batcher } = await import('../../dist/libs/event-log/src/batcher.js');
  const { CreateKey } = await import('../../dist/apps/api/src/identity/device-keys.js');
  const { CommandBus } = await import('@nestjs/cqrs');
  const { installedRules } = await import('#rule-folder');
  const heads = new Array(16).fill(0);
  const batcher = new Batcher({
    partitions: 16,
    queues: 1,
    queueOf: () => 0,
    sendBytesMax: 1024 * 1024,
    send: async (batches) =>
      batches.map(
        ({ partition, records }) => (heads[partition] += records.length) - records.length,
      ),
  });
  const log = {
    id: 'bench',
    partitions: 16,
    append: (appending) => batcher.append(appending),
    health: async () => ({ reachable: true, powerSafe: false, notes: [], ...batcher.stats() }),
  };
  await migrateAccess(databaseUrl);
  const book = await installedRules([]);
  const app = await createApi({ settings: API_DEFAULTS, log, databaseUrl, book, logger: false });
  const { token } = await app.get(CommandBus).execute(
    new CreateKey(
      { id: 'person/bench', tables: 'all' },
      {
        name: `bench-${process.pid}`,
        sources: ['device/*', 'person/*'],
        tables: ['*'],
        types: ['*'],
      },
    ),
  );
  await app.listen(0, '127.0.0.1');
  ready({ port: app.getHttpServer().address().port, token });
}

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
  const parse = (_, body, done) => {
    try {
      done(null, JSON.parse(body));
    } catch (error) {
      done(error);
    }
  };
  for (const type of ['application/cloudevents+json', 'application/cloudevents-batch+json'])
    app.addContentTypeParser(type, { parseAs: 'string' }, parse);
  app.addContentTypeParser('application/x-ndjson', { parseAs: 'string' }, (_, body, done) => {
    try {
      done(
        null,
        body
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
      );
    } catch (error) {
      done(error);
    }
  });
  const accepted = (events) => ({ accepted: events });
  app.post('/one', { schema: { body: schema } }, async (request, reply) =>
    reply.code(202).send(accepted(request.body ? 1 : 0)),
  );
  app.post(
    '/many',
    { schema: { body: { type: 'array', items: schema } } },
    async (request, reply) => reply.code(202).send(accepted(request.body.length)),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  ready({ port: app.server.address().port });
}

const isText = (value) => typeof value === 'string' && value !== '';
const guard = (event) =>
  typeof event === 'object' &&
  event !== null &&
  event.specversion === '1.0' &&
  isText(event.type) &&
  isText(event.source) &&
  isText(event.id) &&
  isText(event.time) &&
  !Number.isNaN(Date.parse(event.time)) &&
  isText(event.table) &&
  (event.sequence === undefined || (Number.isSafeInteger(event.sequence) && event.sequence > 0)) &&
  typeof event.data === 'object' &&
  event.data !== null;

function node() {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString('utf8');
      const events =
        request.headers['content-type'] === 'application/x-ndjson'
          ? text
              .split('\n')
              .filter((line) => line !== '')
              .map((line) => JSON.parse(line))
          : [JSON.parse(text)].flat();
      const body = `{"accepted":${events.length}}`;
      response.writeHead(events.every(guard) ? 202 : 400, {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => ready({ port: server.address().port }));
}

const [kind, databaseUrl] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
// Reports processor time so far in µs. On a shared machine it means more than the clock.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
if (kind === 'shoeprint') await shoeprint(databaseUrl);
else if (kind === 'node') node();
else await fastify(kind === 'fastify' ? EVENT_SCHEMA : LIGHT_SCHEMA);
