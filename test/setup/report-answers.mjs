// Loaded into a server that a test starts (test/kit/answers.ts): writes each of its answers, and
// its OpenAPI document unless that needs a token, to the folder TEST_ANSWERS.
import { subscribe } from 'node:diagnostics_channel';
import { openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = '/docs-json';
const folder = process.env.TEST_ANSWERS;
const name = `${process.pid}-${Date.now()}`;

if (folder !== undefined)
  subscribe('fastify.initialization', (message) => {
    const { fastify } = /** @type {{ fastify: import('fastify').FastifyInstance }} */ (message);
    const answers = openSync(join(folder, `${name}.ndjson`), 'w');
    let basePath = '';
    fastify.addHook('onRoute', ({ url }) => {
      if (url.endsWith(DOCUMENT)) basePath = url.slice(0, -DOCUMENT.length);
    });
    fastify.addHook('onListen', async () => {
      const { body, statusCode } = await fastify.inject(`${basePath}${DOCUMENT}`);
      if (statusCode === 200) writeFileSync(join(folder, `${name}.json`), body);
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const route = request.routeOptions.url;
      if (route !== undefined && !request.is404) {
        const { method, url } = request;
        const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
        const body = isText ? payload.toString() : '';
        const answer = {
          method,
          url,
          route,
          status: reply.statusCode,
          headers: reply.getHeaders(),
          body,
        };
        writeSync(answers, `${JSON.stringify(answer)}\n`);
      }
      done(null, payload);
    });
  });
