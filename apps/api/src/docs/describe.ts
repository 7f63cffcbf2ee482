import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { packageSchemas } from '#evidence';
import { ExportScope, scopeSchema } from '../exports/exports.fields.js';
import { sampleDayExamples } from './examples.js';
import { COOKIE_NAMES } from '../identity/credentials/session-cookie.js';
import { COOKIE_SCHEME } from '../identity/requires.js';
import { ACT_FIELD_SCHEMAS, SENT_SCHEMAS } from '../ingest/events/event-schemas.js';
import {
  documentOf,
  Problem,
  PROBLEM_MEDIA_TYPE,
  type ProblemName,
  PROBLEMS,
  problemType,
} from '../problems/problems.js';
import { refusalsOf } from '../problems/refuses.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string }[];
  readonly requestBody?: object;
  security?: readonly object[];
  responses: Record<string, object>;
}

/** Returns links to the JSON Schemas of the files in an evidence package. */
const schemaLinks = (basePath: string): string =>
  [...packageSchemas().keys()]
    .map((name) => `[${name.replace('.schema.json', '')}](${basePath}/docs/evidence/${name})`)
    .join(', ');

/**
 * Returns the OpenAPI document: routes and answers as their classes declare them, and a response
 * for each problem.
 */
export function describe(app: NestFastifyApplication, basePath: string): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Shoeprint')
    .setDescription(
      `Records table events and returns what the auditor found. Every refusal is a problem document (RFC 9457); [all types](${basePath}/docs/problems). The topic of the events: [AsyncAPI](${basePath}/docs/asyncapi.yaml). The JSON files of an evidence package: ${schemaLinks(basePath)}.`,
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .setOpenAPIVersion('3.1.0')
    .addServer(basePath === '' ? '/' : basePath)
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'A device key (spk_...) or the token of a sign-in (sps_...)',
    })
    .addCookieAuth(
      COOKIE_NAMES.tls,
      {
        type: 'apiKey',
        description: `A sign-in with \`cookie\`, for pages of this server. It counts without the header Authorization only. Without TLS its name is ${COOKIE_NAMES.plain}`,
      },
      COOKIE_SCHEME,
    );
  for (const [name, description] of Object.entries(TAGS)) about.addTag(name, description);
  const document = SwaggerModule.createDocument(app, about.build(), {
    operationIdFactory: (_controller, method) => method,
    ignoreGlobalPrefix: true,
    autoTagControllers: false,
  });
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(
      ([method, operation]) => [path, method, operation] as const,
    ),
  );
  const examples = sampleDayExamples();
  for (const [path, method, operation] of operations) {
    operation.security ??= [];
    addExample(operation, examples[operation.operationId]);
    addRefusals(path, method, operation);
  }
  const schemas: Readonly<Record<string, object>> = closed(
    document.components?.schemas ?? {},
    operations.map(([, , each]) => each),
  );
  document.components = {
    ...document.components,
    schemas: {
      ...schemas,
      [ExportScope.name]: scopeSchema(schemas[ExportScope.name] as object),
      ...(ACT_FIELD_SCHEMAS as Schemas),
      ...(SENT_SCHEMAS as Schemas),
      Problem: PROBLEM_SCHEMA,
    },
  };
  return document;
}

const TAGS = {
  events: 'Recording what happens at the tables',
  lists: 'Tables, shoes, coups and findings as they stand',
  reports: 'Sums over gaming days, as JSON, CSV or XLSX',
  record: 'The exact lines of the log',
  rules: 'Rule documents and review policies',
  review: 'What people do about findings',
  stream: 'Changes as they happen',
  session: 'Signing in and out',
  accounts: 'People, and what they may do',
  keys: 'Keys of devices and gateways',
  operation: 'Health, metrics, and decisions about what could not be judged',
};

/** Adds the example to the JSON answer of an operation, if there is one. */
function addExample({ responses }: Operation, example: unknown): void {
  const { content } = (responses[200] ?? {}) as { content?: Record<string, object> };
  if (example !== undefined && content?.[JSON_TYPE])
    content[JSON_TYPE] = { ...content[JSON_TYPE], example };
}

const JSON_TYPE = 'application/json';

/** The problems that every route may answer. */
const ANYWHERE: readonly ProblemName[] = [
  'malformed-request',
  'too-slow',
  'too-large',
  'internal-fault',
];

function addRefusals(path: string, method: string, operation: Operation): void {
  const names = new Set<ProblemName>([
    ...ANYWHERE,
    ...refusalsOf(operation.operationId),
    ...(method === 'get' ? [] : (['media-type-not-taken'] as const)),
    ...(method === 'get' || operation.security?.length === 0 ? [] : (['cross-site'] as const)),
    ...(operation.requestBody ? (['invalid-request'] as const) : []),
    ...(path.includes('{') ? (['not-found'] as const) : []),
  ]);
  for (const status of new Set([...names].map((name) => PROBLEMS[name].status)))
    operation.responses[status] = {
      ...problemAnswer([...names].filter((name) => PROBLEMS[name].status === status)),
      ...operation.responses[status],
    };
}

/** Returns the response of one status: a problem document of one of these types. */
const problemAnswer = (names: readonly ProblemName[]): object => ({
  description: names.map((name) => PROBLEMS[name].title).join('; or: '),
  content: {
    [PROBLEM_MEDIA_TYPE]: {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Problem' },
          { type: 'object', properties: { type: { enum: names.map(problemType) } } },
        ],
      },
      examples: Object.fromEntries(
        names.map((name) => [name, { value: documentOf(new Problem(name)) }]),
      ),
    },
  },
});

const namesIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name = '']) => name,
  );

/**
 * Closes the schemas of request bodies and of the objects in them: the server refuses fields that
 * they do not name.
 */
function closed(schemas: Schemas, operations: readonly Operation[]): Schemas {
  const bodies = namesIn(operations.map(({ requestBody }) => requestBody));
  const sent = new Set([...bodies, ...bodies.flatMap((name) => namesIn(schemas[name] ?? {}))]);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      sent.has(name) ? { ...schema, additionalProperties: false } : schema,
    ]),
  );
}

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'A problem document (RFC 9457)',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string', enum: (Object.keys(PROBLEMS) as ProblemName[]).map(problemType) },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', description: "The id of this occurrence in the server's log" },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'reason'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer; empty for the whole' },
          reason: { type: 'string' },
          position: { type: 'integer', minimum: 1, description: 'Line or item, from 1' },
        },
      },
    },
    review: {
      description: 'Where the review of the finding stands, if the request was a command on it',
      $ref: '#/components/schemas/ReviewAnswer',
    },
  },
};
