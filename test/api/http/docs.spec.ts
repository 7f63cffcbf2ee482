import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument, routesOf } from '#api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { exportAsked, type NewExport } from '../../../apps/api/src/exports/exports.fields.js';
import { PROBLEMS } from '../../../apps/api/src/problems/problems.js';
import { startApi, type TestApi } from '../../kit/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

const operationsOf = ({ paths }: OpenAPIObject): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));

const described = async (): Promise<OpenAPIObject> => (await api.send('GET', '/docs-json')).json();

/** Pages are for browsers, and are not part of the api. */
const isPage = (url: string): boolean => /^\/(docs|console|$)/.test(url);

/** The path of a route as the description writes it. The rest of a path is called `path` there. */
const pathInDocs = (url: string): string => url.replace(/\*$/, ':path').replace(/:(\w+)/g, '{$1}');

describe('the API description', () => {
  it('names exactly the routes of /v1', async () => {
    const { paths } = await described();
    const inDocs = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = routesOf(api.app)
      .filter(({ method, url }) => method !== 'HEAD' && !isPage(url))
      .map(({ method, url }) => `${method} ${pathInDocs(url)}`);
    expect(inDocs.sort()).toEqual(routes.sort());
  });

  it('is the same without a server, which is how the types of clients are made', async () => {
    expect(JSON.parse(JSON.stringify(await openApiDocument()))).toEqual(await described());
  });

  it('passes the linter without errors or warnings', async () => {
    const faults = await lintFromString({
      source: JSON.stringify(await described()),
      config: await createConfig({ extends: ['recommended'] }),
    });
    expect(
      faults.map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
      ),
    ).toEqual([]);
  });

  it('has a summary, a name and a tag for every operation', async () => {
    const operations = operationsOf(await described());
    for (const { summary, operationId, tags } of operations) {
      expect(summary).toMatch(/\w+/);
      expect(operationId).toMatch(/^[a-z][a-zA-Z]+$/);
      expect(tags).toHaveLength(1);
    }
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['listFindings', 'getCoup', 'appendEvents']));
  });

  it('has a schema for every response of every status, unless the response has no body', async () => {
    for (const { operationId, responses } of operationsOf(await described()))
      for (const [status, { content }] of Object.entries(responses)) {
        const isEmpty =
          ['204', '304'].includes(status) || /^(re(try|lease|sume)|pass)/.test(operationId);
        const schemas = Object.values(content ?? {}).map(({ schema }) => schema);
        if (!isEmpty || status >= '400')
          expect([operationId, status, schemas.length > 0 && schemas.every(Boolean)]).toEqual([
            operationId,
            status,
            true,
          ]);
      }
  });

  it('shows which routes require a token', async () => {
    const { paths } = await described();
    for (const { method, url, needs } of routesOf(api.app)) {
      if (method === 'HEAD' || isPage(url)) continue;
      const operation = (paths[pathInDocs(url)] as Record<string, { security?: unknown[] }>)[
        method.toLowerCase()
      ];
      expect([method, url, (operation?.security?.length ?? 0) > 0]).toEqual([
        method,
        url,
        needs !== 'nothing',
      ]);
      // The settings may open these to everybody.
      expect([url, JSON.stringify(operation?.security).includes('{}')]).toEqual([
        url,
        ['/metrics', '/v1/evidence/checkpoint', '/v1/evidence/tile/*'].includes(url),
      ]);
    }
  });

  it('describes the sources that a key may write as they are validated', async () => {
    const { components } = await described();
    const { sources } = (
      components?.schemas?.NewKey as {
        properties: { sources: { items: { allOf: { pattern: string }[] } } };
      }
    ).properties;
    const fits = (source: string): boolean =>
      sources.items.allOf.every(({ pattern }) => new RegExp(pattern).test(source));
    expect(['device/x', 'person/*', 'virtual/a*b'].filter(fits)).toHaveLength(3);
    expect(['device/', 'person/', 'system/x', '*', 'device/*****'].filter(fits)).toEqual([]);
  });

  it('names the problem types of each status', async () => {
    const { components } = await described();
    const [events] = operationsOf(await described()).filter(
      ({ operationId }) => operationId === 'appendEvents',
    );
    expect(JSON.stringify(events?.responses[403])).toContain(
      'urn:shoeprint:problem:source-not-yours',
    );
    expect(
      (components?.schemas?.Problem as { properties: { type: { enum: string[] } } }).properties.type
        .enum,
    ).toHaveLength(Object.keys(PROBLEMS).length);
  });

  it('is shown on a page whose scripts come only from the server', async () => {
    const page = await api.send('GET', '/docs');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(page.body).not.toMatch(/<script[^>]*>[^<\s]/);
    const sources = [...page.body.matchAll(/<script src=["']([^"']+)["']/g)].map(
      ([, source]) => source as string,
    );
    expect(sources.length).toBeGreaterThanOrEqual(3);
    for (const source of sources)
      expect((await api.send('GET', new URL(source, 'http://host/docs').pathname)).statusCode).toBe(
        200,
      );
  });

  it('links to the description of the topic, which everybody can read under the path of the api', async () => {
    const topic = await api.send('GET', '/docs/asyncapi.yaml');
    expect([topic.statusCode, topic.headers['content-type'], topic.body]).toEqual([
      200,
      'application/yaml',
      readFileSync('docs/asyncapi.yaml', 'utf8'),
    ]);
    expect((await described()).info.description).toContain('(/docs/asyncapi.yaml)');
    const elsewhere = await startApi({
      settings: { basePath: '/audit' },
      databaseUrl: api.databaseUrl,
    });
    try {
      expect((await elsewhere.send('GET', '/audit/docs/asyncapi.yaml')).statusCode).toBe(200);
      expect((await elsewhere.send('GET', '/docs/asyncapi.yaml')).statusCode).toBe(404);
      expect(
        (await elsewhere.send('GET', '/audit/docs-json')).json<OpenAPIObject>().info.description,
      ).toContain('(/audit/docs/asyncapi.yaml)');
    } finally {
      await elsewhere.close();
    }
  });

  it('links to a JSON Schema of each JSON file in an evidence package', async () => {
    const { description = '' } = (await described()).info;
    const links = [...description.matchAll(/\((\/docs\/evidence\/([^)]+))\)/g)];
    expect(links.map(([, , name]) => name).toSorted()).toEqual(
      readdirSync('libs/evidence/schemas').toSorted(),
    );
    for (const [, link = '', name = ''] of links) {
      const answer = await api.send('GET', link);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([
        200,
        'application/schema+json; charset=utf-8',
      ]);
      expect(answer.json()).toEqual(
        JSON.parse(readFileSync(`libs/evidence/schemas/${name}`, 'utf8')),
      );
    }
  });

  it('has a page that explains every problem type', async () => {
    const page = await api.send('GET', '/docs/problems');
    for (const name of Object.keys(PROBLEMS))
      expect(page.body).toContain(`urn:shoeprint:problem:${name}`);
  });
});

describe('an api under a base path', () => {
  it('serves everything under that path and nothing elsewhere', async () => {
    const below = await startApi({ settings: { basePath: '/audit/shoes' } });
    try {
      for (const path of [
        '/livez',
        '/docs',
        '/docs-json',
        '/docs/problems',
        '/docs/swagger-ui-bundle.js',
      ]) {
        expect([
          path,
          (await below.send('GET', `/audit/shoes${path}`)).statusCode,
          (await below.send('GET', path)).statusCode,
        ]).toEqual([path, 200, 404]);
      }
      const { servers, paths } = (
        await below.send('GET', '/audit/shoes/docs-json')
      ).json<OpenAPIObject>();
      expect(servers).toEqual([expect.objectContaining({ url: '/audit/shoes' })]);
      expect(Object.keys(paths)).toContain('/v1/me');
    } finally {
      await below.close();
    }
  });
});

describe('the scope of a package', () => {
  const NAMED = {
    ...{ table: 'B03', shoe: 'S1', finding: 'F1' },
    ...{ day: '2026-11-20', from: '2026-11-20', to: '2026-11-21' },
  };
  /** Every kind with every choice of the fields that any kind has. */
  const SCOPES = ['shoe', 'finding', 'table', 'day'].flatMap((kind) =>
    Array.from({ length: 1 << Object.keys(NAMED).length }, (_, choice) => ({
      kind,
      ...Object.fromEntries(Object.entries(NAMED).filter((_field, at) => (choice >> at) & 1)),
    })),
  );

  it('has just those fields, by its kind, that the server takes', async () => {
    const { components } = await described();
    const ajv = new Ajv2020({ strict: false }).addFormat('date', /^\d{4}-\d\d-\d\d$/);
    const isDescribed = ajv.compile(components?.schemas?.['ExportScope'] as object);
    const isTaken = (scope: object): boolean => {
      try {
        exportAsked({ scope, purpose: 'review', recipient: 'me' } as NewExport);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ problem: 'invalid-request' });
        return false;
      }
    };
    const taken = SCOPES.filter(isTaken);
    expect(SCOPES.filter((scope) => isDescribed(scope))).toEqual(taken);
    expect(taken).toHaveLength(7);
  });
});
