import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';
import { packageSchemas } from '#evidence';
import { packageFolder } from '#process';
import { describe } from './describe.js';
import { headersOfEvery } from '../http/strict-requests.js';
import type { ApiSettings } from '../settings/api-settings.js';
import { problemsPage } from '../problems/problems-page.js';

/** Swagger UI sets inline styles on its elements. Scripts come from this server only. */
const POLICY = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

/**
 * Serves the description of the api: `/docs` for people, `/docs-json` and `/docs-yaml` for
 * machines, `/docs/problems` for the problem types, `/docs/asyncapi.yaml` for the topic, and a JSON
 * Schema for each JSON file of an evidence package. All of it is open to everybody, or to everybody
 * with a token (`docsNeeds`). Throws if the package has no description of the topic.
 */
export function serveDocs(app: NestFastifyApplication, settings: ApiSettings): void {
  const { basePath } = settings;
  const headersOf = headersOfEvery(settings);
  const fastify = app.getHttpAdapter().getInstance();
  const root = `${basePath}/docs`;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isPage = request.routeOptions.url?.startsWith(root) === true;
    const policy = isPage ? POLICY : reply.getHeader('Content-Security-Policy');
    void reply.headers(headersOf(request.id));
    if (policy !== undefined) void reply.header('Content-Security-Policy', policy);
    if (!reply.hasHeader('Cache-Control'))
      void reply.header('Cache-Control', isPage ? 'no-cache' : 'no-store');
    done(null, payload);
  });
  fastify.get(`${root}/problems`, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(problemsPage()),
  );
  const topic = readFileSync(join(packageFolder(), 'docs', 'asyncapi.yaml'));
  fastify.get(`${root}/asyncapi.yaml`, (_request, reply) =>
    reply.type('application/yaml').send(topic),
  );
  for (const [name, schema] of packageSchemas()) {
    const text = JSON.stringify(schema);
    fastify.get(`${root}/evidence/${name}`, (_request, reply) =>
      reply.type('application/schema+json').send(text),
    );
  }
  SwaggerModule.setup('docs', app, () => describe(app, basePath), {
    useGlobalPrefix: true,
    jsonDocumentUrl: 'docs-json',
    yamlDocumentUrl: 'docs-yaml',
    customSiteTitle: 'Shoeprint',
  });
}

/**
 * Returns an `onRoute` hook that declares what the routes of the documentation need. Swagger
 * registers its routes without such a declaration.
 */
export const docsNeeds =
  (basePath: string) =>
  (route: RouteOptions): void => {
    const root = `${basePath}/docs`;
    if (
      route.url === root ||
      route.url.startsWith(`${root}/`) ||
      route.url === `${root}-json` ||
      route.url === `${root}-yaml`
    ) {
      route.config = { ...route.config, needs: 'read-docs', openBy: 'openPages' };
    }
  };
