import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROLES } from '#api';
import { type Policy, readPolicy, RuleBook } from '#audit';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { BOOK } from '../../kit/house.js';
import { built, shoeprintBeside } from '../../cli/shoeprint.js';

let api: TestApi;
let reader: string;
beforeAll(async () => {
  built();
  const { policies } = BOOK;
  const { document } = policies.get('review@1') as Policy;
  const own = readPolicy({ ...document, version: 1001, lease: 900 }, 'f'.repeat(64), '{"own":1}');
  api = await startApi({
    book: new RuleBook(BOOK.sha256, BOOK, [...policies, [own.ref, own]]),
    settings: { policy: own.ref },
  });
  reader = await api.person('integrator');
});
afterAll(() => api.close());

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  api.app.inject({ url: path, headers: { authorization: `Bearer ${reader}`, ...headers } });
const manifest = JSON.parse(readFileSync('rules/manifest.json', 'utf8')) as Record<string, string>;
const REFS = Object.keys(manifest);
const refusal = (answer: Answer): object => {
  const { type, errors, detail } = answer.json<{
    type: string;
    detail?: string;
    errors?: { pointer: string }[];
  }>();
  return {
    status: answer.statusCode,
    type: type.replace('urn:shoeprint:problem:', ''),
    ...(errors ? { pointers: errors.map(({ pointer }) => pointer) } : { detail }),
  };
};

describe('the installed rule documents and review policies', () => {
  it('are listed with the SHA-256 of their files', async () => {
    const rules = (await get('/v1/rules')).json<{ items: { ref: string; hash: string }[] }>();
    const policies = (await get('/v1/policies')).json<typeof rules>();
    const listed = [
      ...rules.items.map(({ ref, hash }) => [ref, hash]),
      ...policies.items.map(({ ref, hash }) => [`policies/${ref}`, hash]),
    ];
    expect(Object.fromEntries(listed)).toEqual({
      ...manifest,
      'policies/review@1001': 'f'.repeat(64),
    });
    expect(rules.items).toContainEqual({
      ref: 'super-6@1',
      id: 'super-6',
      version: 1,
      title: BOOK.get('super-6@1')?.document.title,
      game: 'punto-banco',
      decks: BOOK.get('super-6@1')?.document.decks,
      hash: manifest['super-6@1'],
    });
  });

  it('say which review policy is in force', async () => {
    const { items } = (await get('/v1/policies')).json<{ items: object[] }>();
    const title = BOOK.policies.get('review@1')?.document.title;
    const hash = manifest['policies/review@1'];
    expect(items).toEqual([
      { ref: 'review@1', id: 'review', version: 1, title, hash, inForce: false },
      expect.objectContaining({ ref: 'review@1001', version: 1001, inForce: true }),
    ]);
  });

  it.each(REFS)('can be read byte for byte, with the SHA-256 as ETag: %s', async (ref) => {
    const path = ref.startsWith('policies/') ? `/v1/${ref}` : `/v1/rules/${ref}`;
    const answer = await get(path);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(answer.rawPayload).toEqual(readFileSync(`rules/${ref}.json`));
    const sha256 = createHash('sha256').update(answer.rawPayload).digest('hex');
    expect([sha256, answer.headers.etag]).toEqual([manifest[ref], `"${manifest[ref]}"`]);
    const again = await get(path, { 'if-none-match': answer.headers.etag as string });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it.each([
    ['/v1/rules/diff?from=punto-banco@1&to=super-6@1', ['punto-banco@1', 'super-6@1']],
    ['/v1/rules/diff?from=punto-banco@1&to=punto-banco@1', ['punto-banco@1', 'punto-banco@1']],
    ['/v1/policies/diff?from=review@1&to=review@1', ['review@1', 'review@1']],
  ])('differ as the command line says: %s', async (path, [from = '', to = '']) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    const { stdout } = await shoeprintBeside(['rules', 'diff', '--json', from, to]);
    expect(answer.json<object>()).toEqual(JSON.parse(stdout));
  });

  it('differ in words', async () => {
    expect((await get('/v1/policies/diff?from=review@1&to=review@1001')).json<object>()).toEqual({
      from: 'review@1',
      to: 'review@1001',
      differences: ['a claim lasts: 10 minutes → 15 minutes'],
    });
  });

  it.each([
    ['/v1/rules/baccarat@9', 'the rule document baccarat@9 is not installed'],
    ['/v1/policies/review@9', 'the review policy review@9 is not installed'],
    ['/v1/rules/diff?from=super-6@1&to=super-6@2', 'the rule document super-6@2 is not installed'],
    ['/v1/policies/diff?from=review@7&to=review@1', 'the review policy review@7 is not installed'],
  ])('are 404 by name if they are unknown: %s', async (path, detail) => {
    expect(refusal(await get(path))).toEqual({ status: 404, type: 'not-found', detail });
  });

  it.each([
    ['/v1/rules/super-6', ['/ref']],
    ['/v1/rules/%00', ['/ref']],
    ['/v1/rules/constructor', ['/ref']],
    ['/v1/rules/review@x', ['/ref']],
    ['/v1/policies/super-6@1', ['/ref']],
    ['/v1/rules/diff', ['/from', '/to']],
    ['/v1/rules/diff?from=super-6@1', ['/to']],
    ['/v1/rules/diff?from=super-6@1&to=a&to=b', ['/to']],
    ['/v1/policies/diff?from=super-6@1&to=review@1', ['/from']],
    ['/v1/rules/diff?from=super-6@1&to=super-6@1&by=x', ['/by']],
  ])('are 400 by pointer if the name is malformed: %s', async (path, pointers) => {
    expect(refusal(await get(path))).toEqual({ status: 400, type: 'invalid-request', pointers });
  });

  it('are 406 for a reader who takes no JSON', async () => {
    expect((await get('/v1/rules/super-6@1', { accept: 'text/csv' })).statusCode).toBe(406);
  });

  it('are read by every role of people, and by no device', async () => {
    const status = async (token: string): Promise<number[]> =>
      Promise.all(
        ['/v1/rules', '/v1/policies/review@1'].map(
          async (path) => (await api.send('GET', path, token)).statusCode,
        ),
      );
    for (const role of ROLES) expect(await status(await api.person(role))).toEqual([200, 200]);
    expect(await status(await api.person('pit-boss', { wallDisplay: true }))).toEqual([200, 200]);
    expect(await status(await api.device())).toEqual([403, 403]);
  });
});
