import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { routesOf } from '../../apps/api/src/create-api.js';
import { PROBLEMS } from '../../apps/api/src/problems/problems.js';
import { startApi, type TestApi } from '../kit/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const described = async (): Promise<OpenAPIObject> => (await api.send('GET', '/docs-json')).json();

describe('the description of the api', () => {
  it('names every route of /v1, and no other', async () => {
    const { paths } = await described();
    const inDocs = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map(
        (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      ),
    );
    const routes = routesOf(api.app)
      .filter(({ method, url }) => method !== 'HEAD' && !url.startsWith('/docs'))
      .map(({ method, url }) => `${method} ${url}`);
    expect(inDocs.sort()).toEqual(routes.sort());
  });

  it('says of every route what it does, with an example of the answer or the words for an empty one', async () => {
    const { paths } = await described();
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(
        operations as Record<
          string,
          {
            summary?: string;
            responses: Record<
              string,
              {
                description?: string;
                content?: Record<
                  string,
                  { schema?: { example?: unknown }; example?: unknown; examples?: unknown }
                >;
              }
            >;
          }
        >,
      )) {
        expect([method, path, operation.summary ?? '']).toEqual([
          method,
          path,
          expect.stringMatching(/\w+/),
        ]);
        const good = Object.entries(operation.responses).find(([status]) =>
          status.startsWith('2'),
        )?.[1];
        const shown = Object.values(good?.content ?? {}).some(
          ({ schema, example, examples }) => (schema?.example ?? example ?? examples) !== undefined,
        );
        expect([method, path, shown || (good?.description ?? '') !== '']).toEqual([
          method,
          path,
          true,
        ]);
      }
    }
  });

  it('says which routes want a token', async () => {
    const { paths } = await described();
    for (const { method, url, needs } of routesOf(api.app)) {
      if (method === 'HEAD' || url.startsWith('/docs')) continue;
      const operation = (
        paths[url.replace(/:(\w+)/g, '{$1}')] as Record<string, { security?: unknown[] }>
      )[method.toLowerCase()];
      expect([method, url, (operation?.security?.length ?? 0) > 0]).toEqual([
        method,
        url,
        needs !== 'nothing',
      ]);
    }
  });

  it('gives every route the problem document as its refusal', async () => {
    const { paths, components } = await described();
    expect(
      Object.values(paths)
        .flatMap((operations) => Object.values(operations as Record<string, { responses: object }>))
        .every(({ responses }) => 'default' in responses),
    ).toBe(true);
    expect(
      (components?.schemas?.Problem as { properties: { type: { enum: string[] } } }).properties.type
        .enum,
    ).toHaveLength(Object.keys(PROBLEMS).length);
  });

  it('is shown on a page whose scripts come from the server alone', async () => {
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

  it('serves the description of the topic beside it, to everybody, under the path that the api has, and links to it', async () => {
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

  it('has a page that tells every problem', async () => {
    const page = await api.send('GET', '/docs/problems');
    for (const name of Object.keys(PROBLEMS))
      expect(page.body).toContain(`urn:shoeprint:problem:${name}`);
  });
});

describe('an api below a path', () => {
  it('serves everything there, and nothing beside it', async () => {
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
      expect(
        Object.keys(
          (await below.send('GET', '/audit/shoes/docs-json')).json<OpenAPIObject>().paths,
        ),
      ).toContain('/audit/shoes/v1/me');
    } finally {
      await below.close();
    }
  });
});
