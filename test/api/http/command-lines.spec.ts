import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { startApi, type Answer, type TestApi } from '../../kit/api.js';

type Line = Readonly<Record<string, unknown>>;
const lines: Line[] = [];
const keep = (line: unknown): void => void lines.push(line as Line);
const logger: LoggerService = { log: keep, warn: () => undefined, error: () => undefined };

const PASSWORD = 'given by an admin once';
const AT_ONCE = 6;

let api: TestApi;
let admin: string;
beforeAll(async () => {
  api = await startApi({ logger });
  admin = await api.person('admin', { name: 'root' });
});
afterAll(() => api.close());

/** Returns what the log has of a request: its lines by the id that the answer has. */
const linesOf = ({ headers }: Answer): Line[] =>
  lines.filter(({ instance }) => instance === `urn:uuid:${headers['request-id'] as string}`);

describe('a command that succeeds', () => {
  it('is a line of the log with the id of its request, also beside others', async () => {
    const people = Array.from({ length: AT_ONCE }, (_, i) => `person-${i}`);
    const created = await Promise.all(
      people.map((name) =>
        api.send('POST', '/v1/accounts', admin, {
          name,
          password: PASSWORD,
          roles: ['finance'],
          tables: ['B07'],
        }),
      ),
    );
    expect(created.map(linesOf)).toMatchObject(
      people.map((name) => [{ message: 'account created', name, by: 'person/root' }]),
    );
    const signedIn = await Promise.all(
      people.map((name) =>
        api.send('POST', '/v1/sign-in', undefined, { name, password: PASSWORD }),
      ),
    );
    expect(signedIn.map(linesOf)).toMatchObject(
      people.map((name) => [{ message: 'signed in', name }]),
    );
  });

  it.each([
    [
      'key created',
      () =>
        api.send('POST', '/v1/keys', admin, {
          name: 'shoe-1',
          sources: ['device/shoe-1'],
          tables: ['B07'],
          types: ['*'],
        }),
    ],
    [
      'account changed',
      () => api.send('PATCH', '/v1/accounts/person-0', admin, { tables: ['B08'] }),
    ],
    [
      'password reset issued',
      () => api.send('POST', '/v1/accounts/person-0/password-reset', admin, {}),
    ],
    [
      'password reset used',
      async () => {
        const issued = await api.send('POST', '/v1/accounts/person-1/password-reset', admin, {});
        const { code } = issued.json<{ code: string }>();
        const reset = { name: 'person-1', code, newPassword: 'chosen by a person' };
        return api.send('POST', '/v1/password-reset', undefined, reset);
      },
    ],
    [
      'password changed',
      async () => {
        const who = { name: 'person-2', password: PASSWORD };
        const { token } = (await api.send('POST', '/v1/sign-in', undefined, who)).json<{
          token: string;
        }>();
        const change = { password: PASSWORD, newPassword: 'chosen by a person' };
        return api.send('POST', '/v1/me/password', token, change);
      },
    ],
  ])('has it whatever the command: %s', async (message, send) => {
    const answer = await send();
    expect(answer.statusCode).toBeLessThan(300);
    expect(linesOf(answer)).toMatchObject([{ message }]);
  });
});
