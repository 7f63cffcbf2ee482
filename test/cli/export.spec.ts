import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { simulate } from '#audit';
import { BOOK } from '../kit/house.js';
import { built } from './shoeprint.js';
import { endAll, signedIn, START_MS, Started, type Serving } from './serving.js';

/** An export gives way to everything else, so on a busy machine it takes long. */
jest.setTimeout(4 * START_MS);

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-export-'));
const data = join(folder, 'data');
const at = (name: string): string => join(folder, name);
const PURPOSE = ['--purpose', 'complaint 88', '--recipient', 'DICJ'];

const serve = (): Started =>
  Started.shoeprint(['serve', '--data', data, '--port', '0'], { SHOEPRINT_SEAL_SECONDS: '1' });

/** Runs a command to its end. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const started = Started.shoeprint(args, env);
  return { code: await started.ended, said: started.said };
}

/** A shoe of one table, with a wrong payout in it. */
const lines = [
  ...simulate({
    rules: BOOK.get('punto-banco@1') as never,
    seed: 'export',
    shoes: 1,
    table: 'B07',
    bets: true,
    faults: ['PY-03'],
  }).lines,
];

let server: Serving;

/** Adds a person of a role, named like it, who signs in and chooses a password. Returns the token. */
async function personAs(role: string): Promise<string> {
  const password = 'a long enough password';
  await server.ask('/v1/accounts', { ...{ name: role, password, roles: [role], tables: ['*'] } });
  const signIn = async (with_: string): Promise<string> =>
    ((await (await server.ask('/v1/sign-in', { name: role, password: with_ })).json()) as SignedIn)
      .token;
  const first = await signIn(password);
  const changed = await fetch(`${server.url}/v1/me/password`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password, newPassword: `${password} of my own` }),
  });
  expect(changed.status).toBe(204);
  return signIn(`${password} of my own`);
}

interface SignedIn {
  readonly token: string;
}

/** The token of a person who may export, and of one who may not. */
let token: string;
let barred: string;
let key: string;
beforeAll(async () => {
  built();
  server = await signedIn(serve());
  await server.send(lines);
  [token, barred] = [await personAs('regulator'), await personAs('pit-boss')];
  const shown = await run(['key', 'show', '--data', data]);
  [, key = ''] = /^log\s+(\S+)$/m.exec(shown.said) ?? [];
});
afterAll(async () => {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks the server, as the regulator. */
const fromServer = (...more: string[]) =>
  run(['export', '--url', server.url, ...PURPOSE, ...more], { SHOEPRINT_TOKEN: token });
/** Makes it from the folder. */
const fromFolder = (...more: string[]) => run(['export', '--data', data, ...PURPOSE, ...more]);

/** Returns who asked for a package in the record of the house, for whom and why, the newest first. */
async function recorded(): Promise<unknown[]> {
  const answer = await server.ask('/v1/house-events?type=export-requested');
  const { lines: events } = (await answer.json()) as { lines: { by: string; data: object }[] };
  return events.map(({ by, data: said }) => ({ by, ...said }));
}

describe('shoeprint export', () => {
  it('has a server make a package of a table, and says its digest and how to verify it', async () => {
    const [out, checkpoint] = [at('table.zip'), at('first.checkpoint')];
    const { code, said } = await fromServer(
      ...['--table', 'B07', '--out', out, '--checkpoint', checkpoint],
    );
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringMatching(/warnings {4}unwitnessed: only the log signed/),
    });
    expect(said).toContain(createHash('sha256').update(readFileSync(out)).digest('hex'));
    expect(said).toMatch(/verify\s+node shoeprint-verify\.mjs table\.zip --key KEY/);
    const verified = await run(['verify', out, '--key', key, '--trusted', checkpoint]);
    expect(verified).toEqual({ code: 0, said: expect.stringMatching(/INTACT/) });
    expect(await recorded()).toMatchObject([
      { by: 'person/regulator', purpose: 'complaint 88', recipient: 'DICJ' },
    ]);
  });

  it('makes one of a shoe from the folder while the server runs, in the name of who asks', async () => {
    const shoe = /"shoe":"([^"]+)"/.exec(lines.join('\n'))?.[1] ?? '';
    const out = at('shoe.zip');
    const made = await fromFolder(
      ...['--table', 'B07', '--shoe', shoe, '--since', at('first.checkpoint'), '--out', out],
      ...['--by', 'anna', '--format', 'csv'],
    );
    expect({ ...made }).toEqual({ code: 0, said: expect.stringContaining('shoe.zip') });
    const trusted = ['--trusted', at('first.checkpoint')];
    expect(await run(['verify', out, '--key', key, ...trusted])).toEqual({
      code: 0,
      said: expect.stringMatching(/only grew/),
    });
    expect((await recorded())[0]).toMatchObject({ by: expect.stringMatching(/anna$/) });
  });

  it('refuses what does not exist, with exit 2, and writes no file', async () => {
    const shoe = ['--table', 'B07', '--shoe', 'none'];
    for (const from of [fromServer, fromFolder]) {
      const { code, said } = await from(...shoe, '--out', at('none.zip'));
      expect({ code, said }).toEqual({ code: 2, said: expect.stringMatching(/unknown-shoe/) });
    }
    expect(existsSync(at('none.zip'))).toBe(false);
  });

  it('refuses a day that is not over', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { code, said } = await fromServer('--day', today, '--out', at('day.zip'));
    expect({ code, said }).toEqual({ code: 2, said: expect.stringMatching(/sealed/) });
  });

  it('refuses somebody who may not export, and a token that does not exist', async () => {
    const asked = ['export', '--url', server.url, ...PURPOSE, '--table', 'B07'];
    asked.push('--out', at('forbidden.zip'));
    for (const [held, why] of [
      [barred, /export-evidence|may not/],
      ['rubbish', /Authentication is required/],
    ] as const)
      expect(await run(asked, { SHOEPRINT_TOKEN: held })).toEqual({
        code: 2,
        said: expect.stringMatching(why),
      });
  });

  it.each([
    ['of nothing', [], /nothing to export: pass --table, --finding or --day/],
    ['from a day without the last', ['--table', 'B07', '--from', '2026-11-20'], /go together/],
    ['of a shoe of no table', ['--shoe', '3'], /--shoe needs --table/],
    ['of a shoe and a day', ['--table', 'B07', '--shoe', '3', '--day', '2026-11-20'], /cannot be/],
    ['in a form that it does not have', ['--table', 'B07', '--format', 'docx'], /must be one of/],
    ['since a file that is absent', ['--table', 'B07', '--since', 'absent'], /absent/],
  ])('refuses a package %s', async (_, options, why) => {
    const out = ['--out', at('refused.zip')];
    expect(await fromFolder(...options, ...out)).toEqual({
      code: 2,
      said: expect.stringMatching(why),
    });
  });

  it('refuses to write over a file, and a checkpoint that is rubbish', async () => {
    writeFileSync(at('kept.zip'), 'kept');
    expect(await fromFolder('--table', 'B07', '--out', at('kept.zip'))).toEqual({
      code: 2,
      said: expect.stringMatching(/kept\.zip: exists already/),
    });
    expect(readFileSync(at('kept.zip'), 'utf8')).toBe('kept');
    const since = ['--since', at('kept.zip'), '--out', at('other.zip')];
    expect(await fromFolder('--table', 'B07', ...since)).toEqual({
      code: 2,
      said: expect.stringMatching(/--since: .*kept\.zip/),
    });
  });

  it('refuses a server that is not there and a folder that has no data', async () => {
    const nobody = ['export', '--url', 'http://127.0.0.1:9', ...PURPOSE, '--table', 'B07'];
    nobody.push('--out', at('nobody.zip'));
    expect(await run(nobody, { SHOEPRINT_TOKEN: token })).toMatchObject({ code: 2 });
    const empty = ['export', '--data', at('nowhere'), ...PURPOSE, '--table', 'B07'];
    const { code, said } = await run([...empty, '--out', at('nowhere.zip')]);
    expect({ code, said }).toEqual({ code: 2, said: expect.stringMatching(/nowhere/) });
    expect(existsSync(at('nowhere'))).toBe(false);
  });

  it('makes one from the folder while the server is stopped, which is as it was', async () => {
    expect(await server.started.stop()).toBe(0);
    const out = at('stopped.zip');
    expect((await fromFolder('--table', 'B07', '--out', out)).code).toBe(0);
    expect((await run(['verify', out, '--key', key])).code).toBe(0);
    server = await signedIn(serve());
    expect((await recorded()).length).toBeGreaterThanOrEqual(3);
  });
});
