import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}
interface Described {
  readonly headers?: Readonly<Record<string, { readonly schema?: object }>>;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}

/** A response as its reader receives it. */
export interface Received {
  readonly method: string;
  /** The route as Fastify spells it, base path included: `/audit/v1/coups/:id`. */
  readonly route: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
}

/**
 * Checks responses against a served document. A field that the document does not name is a fault
 * too.
 */
export class Conformance {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: false });
  private readonly compiled = new Map<object, ValidateFunction>();
  private readonly basePath: string;

  constructor(readonly document: OpenAPIObject) {
    this.basePath = (document.servers?.[0]?.url ?? '/').replace(/\/$/, '');
    this.ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    this.ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    const { components } = document; // all references lead there
    this.ajv.addSchema(closed({ components }) as object, 'document');
  }

  /**
   * Returns the operation of a route, or undefined for a route that the document leaves out, such
   * as the document itself.
   */
  private operation(method: string, route: string): Operation | undefined {
    const path = route.slice(this.basePath.length).replace(/:(\w+)/g, '{$1}');
    const item = this.document.paths[path] as Record<string, Operation> | undefined;
    return item?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  /** Returns the faults of a response in words: none if it conforms. */
  faults({ method, route, status, headers, body }: Received): string[] {
    const operation = this.operation(method, route);
    if (!operation) return [];
    const described = operation.responses[status];
    if (!described) return [`status ${status} is not documented`];
    if (method === 'HEAD' || status === 204 || status === 304) return [];
    const type = String(headers['content-type'] ?? '').split(';')[0] as string;
    const media = described.content?.[type];
    if (described.content === undefined && body === '') return [];
    if (!media) return [`status ${status}: ${type || 'no media type'} is not documented`];
    return [
      ...(/[/+]json$/.test(type) ? this.valueFaults(media.schema ?? {}, JSON.parse(body)) : []),
      ...Object.entries(described.headers ?? {}).flatMap(([name, { schema }]) => {
        const value = headers[name.toLowerCase()];
        return value === undefined ? [] : this.valueFaults(schema ?? {}, value);
      }),
    ];
  }

  /** Returns what is wrong with the examples of bodies, in words. */
  exampleFaults(): string[] {
    const operations = Object.values(this.document.paths).flatMap((item) =>
      Object.values(item as Record<string, Operation>),
    );
    return operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((described) => Object.values(described?.content ?? {}))
        .flatMap(({ schema = {}, example, examples = {} }) =>
          [example, ...Object.values(examples).map(({ value }) => value)]
            .filter((value) => value !== undefined)
            .flatMap((value) => this.valueFaults(schema, value)),
        )
        .map((fault) => `${operationId}: ${fault}`),
    );
  }

  /** Returns the faults of a value under a schema of the document. */
  valueFaults(schema: object, value: unknown): string[] {
    let check = this.compiled.get(schema);
    if (!check) {
      check = this.ajv.compile(closed(schema, 'document') as object);
      this.compiled.set(schema, check);
    }
    return check(value)
      ? []
      : (check.errors ?? []).map(
          ({ instancePath, message, params }) =>
            `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
        );
  }
}

/**
 * Returns a copy whose objects allow no fields other than those named, and whose references point
 * into `base`.
 */
function closed(value: unknown, base = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => closed(item, base));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === '$ref'
        ? `${base}${part as string}`
        : name === 'allOf'
          ? opened(part, base)
          : closed(part, base),
    ]),
  );
  const isOpen =
    'properties' in copy && copy.type === 'object' && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

/** Parts that add to another one: only their references are rewritten. */
const opened = (parts: unknown, base: string): unknown =>
  JSON.parse(JSON.stringify(parts).replaceAll('"#/components', `"${base}#/components`));

/**
 * Checks every response of an api in this process. The returned function returns the faults found
 * so far.
 */
export function watchAnswers(
  app: NestFastifyApplication,
  conformance: () => Conformance,
): () => readonly string[] {
  const faults: string[] = [];
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', (request, reply, payload, done) => {
      const route = request.routeOptions.url;
      if (route !== undefined && !request.is404) {
        const found = conformance().faults({
          method: request.method,
          route,
          status: reply.statusCode,
          headers: reply.getHeaders(),
          body: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.toString() : '',
        });
        for (const fault of found) faults.push(`${request.method} ${request.url}: ${fault}`);
      }
      done(null, payload);
    });
  return () => faults;
}
