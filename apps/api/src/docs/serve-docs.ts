import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { RouteOptions } from 'fastify';
import { packageFolder } from '#process';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, problemType } from '../problems/problems.js';
import { problemsPage } from '../problems/problems-page.js';

/** Swagger UI sets styles on its elements; scripts come from here alone. */
const POLICY = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

/** Serves the description of the api: `/docs` for people, `/docs-json` for machines, `/docs/problems` every problem type, `/docs/asyncapi.yaml` the topic. All of it is open (`openDocs`). Throws where the package has no description of the topic. */
export function serveDocs(app: NestFastifyApplication, basePath: string): void {
  const fastify = app.getHttpAdapter().getInstance();
  const root = `${basePath}/docs`;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { url = '' } = request.routeOptions;
    if (url.startsWith(root)) void reply.header('Content-Security-Policy', POLICY);
    void reply.header('X-Content-Type-Options', 'nosniff');
    if (!reply.hasHeader('Cache-Control'))
      void reply.header('Cache-Control', url.startsWith(root) ? 'no-cache' : 'private, no-cache');
    done(null, payload);
  });
  fastify.get(`${root}/problems`, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(problemsPage()),
  );
  const topic = readFileSync(join(packageFolder(), 'docs', 'asyncapi.yaml'));
  fastify.get(`${root}/asyncapi.yaml`, (_request, reply) =>
    reply.type('application/yaml').send(topic),
  );
  SwaggerModule.setup('docs', app, () => describe(app, basePath), {
    useGlobalPrefix: true,
    jsonDocumentUrl: 'docs-json',
    yamlDocumentUrl: 'docs-yaml',
    customSiteTitle: 'Shoeprint',
  });
}

/** An `onRoute` hook that declares the routes of the documentation open: those that Swagger registers carry no declaration of ours. */
export const openDocs =
  (basePath: string) =>
  (route: RouteOptions): void => {
    const root = `${basePath}/docs`;
    if (
      route.url === root ||
      route.url.startsWith(`${root}/`) ||
      route.url === `${root}-json` ||
      route.url === `${root}-yaml`
    ) {
      route.config = { ...route.config, needs: 'nothing' };
    }
  };

/** The OpenAPI document, with the problems that every route may answer. */
function describe(app: NestFastifyApplication, basePath: string): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Shoeprint')
    .setDescription(
      `Takes in table events, answers what was found. Every refusal is a problem document (RFC 9457); [all types](${basePath}/docs/problems). The events, field by field, and the topic that they lie on: [AsyncAPI](${basePath}/docs/asyncapi.yaml).`,
    )
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A device key (spk_...) or the token of a sign-in (sps_...)',
    })
    .build();
  const document = SwaggerModule.createDocument(app, about);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Problem: PROBLEM_SCHEMA },
  };
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations) as { responses?: Record<string, object> }[])
      operation.responses = { ...operation.responses, default: PROBLEM_ANSWER };
  }
  return document;
}

const PROBLEM_ANSWER = {
  description: 'A problem document',
  content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
};

const PROBLEM_SCHEMA = {
  type: 'object' as const,
  required: ['type', 'title', 'status'],
  properties: {
    type: {
      type: 'string',
      enum: (Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[]).map(problemType),
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: "The id of this occurrence in the server's log" },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'reason'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer' },
          reason: { type: 'string' },
          position: { type: 'integer', description: 'Line or item, from 1' },
        },
      },
    },
  },
  example: {
    type: problemType('malformed-events'),
    title: PROBLEMS['malformed-events'].title,
    status: 400,
    errors: [{ position: 3, pointer: '/data/card', reason: 'is no card' }],
  },
};
