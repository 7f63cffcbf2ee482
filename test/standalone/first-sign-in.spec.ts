import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endAll, Started, START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'shoeprint-sign-in-'));
  folders.push(folder);
  return folder;
};

beforeAll(built);
afterAll(async () => {
  await endAll();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const GIVEN = 'given by the service manager';

/** A server on a terminal that is ready, and what its last line says. */
interface Ready {
  readonly started: Started;
  readonly url: string;
  readonly line: string;
}
async function ready(data: string, env: NodeJS.ProcessEnv = {}): Promise<Ready> {
  const started = Started.onTerminal(['serve', '--data', data, '--port', '0'], env);
  const [, url = ''] = await started.saying(/Api\s+(\S+)\/docs/);
  const [, line = ''] = await started.saying(/Sign in {2}([^\r\n]+)[\r\n]/); // all of the line
  return { started, url, line };
}
const post = (url: string, body: object, token?: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
async function signIn(url: string, password: string): Promise<{ token: string; me: object }> {
  const answer = await post(`${url}/v1/sign-in`, { name: 'admin', password });
  const { token } = (await answer.json()) as { token: string };
  const me = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  return { token, me: (await me.json()) as object };
}

describe('the password of the first administrator', () => {
  it(
    'is never printed if it was given, and the first sign-in must change it',
    async () => {
      const { started, url, line } = await ready(newFolder(), { SHOEPRINT_ADMIN_PASSWORD: GIVEN });
      expect(line).toBe('admin, with the password that was set');
      expect(started.said).not.toContain(GIVEN);
      expect((await signIn(url, GIVEN)).me).toMatchObject({ mustDo: 'password-change' });
      expect(await started.stop()).toBe(0);
    },
    START_MS,
  );

  it(
    'is printed at each start if it was made, until somebody first signs in with it',
    async () => {
      const data = newFolder();
      const first = await ready(data);
      const [, password = ''] = /^admin, password (\S+)$/.exec(first.line) ?? [];
      expect(password).toMatch(/^[\w-]{20}$/);
      await first.started.stop();
      const second = await ready(data);
      expect(second.line).toBe(first.line);
      const { token, me } = await signIn(second.url, password);
      expect(me).toMatchObject({ mustDo: null });
      await second.started.stop();
      const third = await ready(data);
      expect(third.line).toBe(`admin, as in ${join(data, 'sign-in.json')}`);
      expect(third.started.said).not.toContain(password);
      const newPassword = 'a staple of batteries';
      const changed = await post(`${third.url}/v1/me/password`, { password, newPassword }, token);
      expect(changed.status).toBe(204);
      await third.started.stop();
      const fourth = await ready(data);
      expect(fourth.line).toBe('as before');
      await fourth.started.stop();
    },
    3 * START_MS,
  );
});
