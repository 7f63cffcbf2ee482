import type { Server } from 'node:https';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { jsonLogger } from '#server';
import { Registry } from 'prom-client';
import { ApiModule } from './api.module.js';
import type { ApiParts } from './settings/parts.module.js';
import { serveConsole } from './console/serve-console.js';
import { docsNeeds, serveDocs } from './docs/serve-docs.js';
import { Gate } from './identity/gate.js';
import { Metrics } from './operation/metrics.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { followCertificate } from './http/certificates.js';
import { RefusalLog } from './problems/refusal-log.js';
import { RoutePaths } from './http/route-paths.js';
import { serverOptions } from './http/server-options.js';
import { dropStalledReaders } from './http/stalled-readers.js';
import {
  boundStrangers,
  headersOfEvery,
  refuseAmbiguous,
  refuseExpectations,
  refuseQueries,
} from './http/strict-requests.js';

/** The parts of an api, its metrics and its logger. */
export interface CreateApi extends Omit<ApiParts, 'registry'> {
  /** The registry of metrics, by default one of its own. */
  readonly registry?: Registry;
  /** The logger, by default JSON lines on standard output. `false` logs nothing. */
  readonly logger?: LoggerService | false;
}

/**
 * Returns the api, ready to listen: `await listenAt(app, settings)`, or `app.inject(...)`. The
 * schemas must exist (`migrateAccess`, and those of the rows). `app.close()` stops accepting,
 * answers what is under way, and closes its connections to the database. The caller then closes the
 * log. Rejects if the database does not answer.
 */
export async function createApi({
  registry = new Registry(),
  logger = jsonLogger('shoeprint'),
  ...parts
}: CreateApi): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter(serverOptions(parts.settings));
  const paths = new RoutePaths();
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.of({ ...parts, registry }),
    adapter,
    { logger, bodyParser: false, abortOnError: false, forceCloseConnections: false },
  );
  const fastify = adapter.getInstance();
  fastify.removeContentTypeParser('text/plain');
  fastify.addHook('onRoute', docsNeeds(parts.settings.basePath));
  fastify.addHook('onRoute', boundStrangers);
  fastify.addHook('onRoute', refuseQueries);
  fastify.addHook('onRoute', (route) => paths.add(route));
  if (parts.settings.tls) followCertificate(fastify.server as Server, parts.settings.tls);
  const refusals = new RefusalLog();
  refuseExpectations(fastify.server, headersOfEvery(parts.settings));
  fastify.addHook('onRequest', refuseAmbiguous);
  fastify.addHook('onRequest', app.get(Gate).check);
  fastify.addHook('onSend', dropStalledReaders(parts.settings.requestTimeoutMs));
  fastify.addHook('onClose', async () => refusals.endSecond());
  countRequests(app, app.get(Metrics));
  app.setGlobalPrefix(parts.settings.basePath);
  app.useGlobalFilters(new ProblemFilter(paths, refusals));
  serveDocs(app, parts.settings);
  serveConsole(app, parts.settings.basePath);
  ROUTES.set(app, paths);
  await app.init();
  return app;
}

const ROUTES = new WeakMap<NestFastifyApplication, RoutePaths>();

/** Returns every route of an api: its template, its method, and what it needs. */
export const routesOf = (app: NestFastifyApplication): RoutePaths['all'] =>
  ROUTES.get(app)?.all ?? [];

function countRequests(app: NestFastifyApplication, { requests }: Metrics): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onResponse', (request, reply, done) => {
      requests.observe(
        {
          method: request.method,
          route: request.routeOptions.url ?? '(none)',
          status: String(reply.statusCode),
        },
        reply.elapsedTime / 1000,
      );
      done();
    });
}
