import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { ANY_CHARACTER } from '../../kit/any-character.js';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';
import { rounds } from '../../kit/rounds.js';

const VIEW = { severity: [1, 2], state: 'open', order: { by: 'queue' } };
const VIEW_BYTES_MAX = 4096;
const PREFERENCES_BYTES_MAX = 16_384;

let api: TestApi;
let made = 0;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const person = (more: object = {}): Promise<string> =>
  api.person('finance', { name: `screen.${(made += 1)}`, ...more });
const pathOf = (name: string): string => `/v1/me/views/${encodeURIComponent(name)}`;
const put = (token: string, name: string, body: object = VIEW): Promise<Answer> =>
  api.send('PUT', pathOf(name), token, body);
const viewsOf = async (token: string): Promise<{ name: string; view: object }[]> =>
  (await api.send('GET', '/v1/me/views', token)).json<{ items: { name: string; view: object }[] }>()
    .items;
const preferencesOf = async (token: string): Promise<object> =>
  (await api.send('GET', '/v1/me/preferences', token)).json<object>();
const problemOf = (answer: Answer): string =>
  answer.statusCode < 400
    ? String(answer.statusCode)
    : `${answer.statusCode} ${answer.json<{ type: string }>().type.replace('urn:shoeprint:problem:', '')}`;
const pointersOf = (answer: Answer): string[] =>
  answer.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer);
/** Returns an object whose JSON has so many bytes. */
const sized = (bytes: number): object => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

describe('a view', () => {
  it('is kept by its name until it is deleted', async () => {
    const token = await person();
    expect(await viewsOf(token)).toEqual([]);
    expect(problemOf(await put(token, 'to sign'))).toBe('204');
    expect(problemOf(await put(token, 'mine', { mine: true }))).toBe('204');
    expect((await api.send('GET', pathOf('to sign'), token)).json<object>()).toEqual(VIEW);
    expect(await viewsOf(token)).toEqual([
      { name: 'mine', view: { mine: true }, changedAt: expect.stringMatching(/Z$/) },
      { name: 'to sign', view: VIEW, changedAt: expect.any(String) },
    ]);
    expect(problemOf(await put(token, 'to sign', {}))).toBe('204');
    expect((await api.send('GET', pathOf('to sign'), token)).json<object>()).toEqual({});
    expect(problemOf(await api.send('DELETE', pathOf('to sign'), token))).toBe('204');
    for (const method of ['GET', 'DELETE'] as const)
      expect(problemOf(await api.send(method, pathOf('to sign'), token))).toBe('404 not-found');
    expect((await viewsOf(token)).map(({ name }) => name)).toEqual(['mine']);
  });

  it('belongs to an account, not to its person or anybody else', async () => {
    const [one, two] = [await person({ person: 'p-1' }), await person({ person: 'p-1' })];
    await put(one, 'mine');
    expect(await viewsOf(two)).toEqual([]);
    expect(problemOf(await api.send('GET', pathOf('mine'), two))).toBe('404 not-found');
    expect(problemOf(await api.send('DELETE', pathOf('mine'), two))).toBe('404 not-found');
    await put(two, 'mine', { theirs: true });
    expect((await viewsOf(one))[0]?.view).toEqual(VIEW);
  });

  it.each([
    'a',
    'Schlimmste zuerst',
    '最嚴重',
    'a/b?c#d',
    '%',
    '..x',
    "'; drop table",
    'x'.repeat(80),
  ])('may be named %j', async (name) => {
    const token = await person();
    expect(problemOf(await put(token, name))).toBe('204');
    expect((await viewsOf(token)).map((each) => each.name)).toEqual([name]);
    expect((await api.send('GET', pathOf(name), token)).statusCode).toBe(200);
  });

  it.each([
    ['more than 80 characters', 'x'.repeat(81)],
    ['more than 80 characters of two units', '🂡'.repeat(81)],
    ['a null', 'a\u0000'],
    ['a line break', 'a\nb'],
    ['a mark that changes the direction of text', 'a\u202eb'],
  ])('may not be named with %s', async (_what, name) => {
    const token = await person();
    const answer = await put(token, name);
    expect([problemOf(answer), pointersOf(answer)]).toEqual(['400 invalid-request', ['/name']]);
    for (const method of ['GET', 'DELETE'] as const)
      expect(problemOf(await api.send(method, pathOf(name), token))).toBe('404 not-found');
  });

  it('counts the characters of its name, not their bytes', async () => {
    expect(problemOf(await put(await person(), '🂡'.repeat(80)))).toBe('204');
  });

  it('is a JSON object', async () => {
    const token = await person();
    for (const body of ['[]', '[{}]', 'null', '"x"', '7']) {
      const answer = await api.app.inject({
        method: 'PUT',
        url: pathOf('wrong'),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        payload: body,
      });
      expect([body, problemOf(answer), pointersOf(answer)]).toEqual([
        body,
        '400 invalid-request',
        [''],
      ]);
    }
    const deep = await put(token, 'wrong', { a: { b: { c: { d: { e: 1 } } } } });
    expect([problemOf(deep), pointersOf(deep)]).toEqual(['400 invalid-request', ['/a/b/c/d']]);
    expect(await viewsOf(token)).toEqual([]);
  });

  it('has at most 4 KiB of JSON', async () => {
    const token = await person();
    expect(problemOf(await put(token, 'full', sized(VIEW_BYTES_MAX)))).toBe('204');
    expect(problemOf(await put(token, 'full', sized(VIEW_BYTES_MAX + 1)))).toBe('413 too-large');
    const wide = { text: '最'.repeat(VIEW_BYTES_MAX / 3) };
    expect(problemOf(await put(token, 'wide', wide))).toBe('413 too-large');
    expect((await viewsOf(token)).map(({ view }) => view)).toEqual([sized(VIEW_BYTES_MAX)]);
  });

  it('is one of at most 50 of an account, also if many are saved at once', async () => {
    const token = await person();
    const names = Array.from({ length: 55 }, (_, i) => `view ${i}`);
    const answers = await Promise.all(names.map((name) => put(token, name)));
    expect(answers.map(problemOf).sort()).toEqual([
      ...Array<string>(50).fill('204'),
      ...Array<string>(5).fill('409 conflict'),
    ]);
    const [kept] = await viewsOf(token);
    expect(problemOf(await put(token, kept?.name ?? '', {}))).toBe('204');
    await api.send('DELETE', pathOf(kept?.name ?? ''), token);
    expect(problemOf(await put(token, 'one more'))).toBe('204');
  });

  it('is returned as it was saved, whatever it holds', async () => {
    const token = await person();
    const key = fc.string({ unit: ANY_CHARACTER, minLength: 1 }).filter((each) => !(each in {}));
    const value = fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.integer(), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, fc.oneof(value, fc.array(value))), async (view) => {
        const saved = await put(token, 'any', view);
        expect(problemOf(saved)).toBe('204');
        const { body } = await api.send('GET', pathOf('any'), token);
        expect(body).toBe(JSON.stringify(view));
      }),
      { numRuns: rounds(50), seed: 20261122 },
    );
  });
});

describe('preferences', () => {
  it('are empty until they are saved, and replaced whole', async () => {
    const [one, two] = [await person({ person: 'p-2' }), await person({ person: 'p-2' })];
    expect(await preferencesOf(one)).toEqual({});
    for (const preferences of [
      { theme: 'surveillance', keys: { claim: 'c' } },
      { theme: 'dark' },
    ]) {
      const answer = await api.send('PUT', '/v1/me/preferences', one, preferences);
      expect([problemOf(answer), await preferencesOf(one)]).toEqual(['204', preferences]);
    }
    expect(await preferencesOf(two)).toEqual({});
  });

  it('are one JSON object of at most 16 KiB', async () => {
    const token = await person();
    const save = (body: object): Promise<Answer> =>
      api.send('PUT', '/v1/me/preferences', token, body);
    expect(problemOf(await save(sized(PREFERENCES_BYTES_MAX)))).toBe('204');
    expect(problemOf(await save(sized(PREFERENCES_BYTES_MAX + 1)))).toBe('413 too-large');
    expect(problemOf(await save([]))).toBe('400 invalid-request');
    expect(await preferencesOf(token)).toEqual(sized(PREFERENCES_BYTES_MAX));
  });
});

describe('views and preferences', () => {
  it('can be read by a wall display and not changed', async () => {
    const token = await person({ wallDisplay: true });
    expect([await viewsOf(token), await preferencesOf(token)]).toEqual([[], {}]);
    for (const answer of [
      await put(token, 'mine'),
      await api.send('DELETE', pathOf('mine'), token),
      await api.send('PUT', '/v1/me/preferences', token, {}),
    ])
      expect(problemOf(answer)).toBe('403 not-permitted');
  });

  it('go with their account', async () => {
    const token = await person({ name: 'gone' });
    await put(token, 'mine');
    await api.send('PUT', '/v1/me/preferences', token, { theme: 'dark' });
    const source = api.app.get(DataSource);
    const left = (): Promise<unknown[]> =>
      source.query(
        `select account_name from access.saved_view where account_name = 'gone'
         union all select account_name from access.preferences where account_name = 'gone'`,
      );
    expect(await left()).toHaveLength(2);
    await source.query(`delete from access.account where name = 'gone'`);
    expect(await left()).toEqual([]);
  });
});
