import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { built } from '../cli/shoeprint.js';
import { childrenOf, endAll, signedIn, START_MS, Started, type Serving } from '../cli/serving.js';
import { eventually } from '../kit/eventually.js';
import { freePort } from '../kit/processes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/integrating/gateway.md'), 'utf8');
/** The commands of the page from a server to the first card, step by step. */
const STEPS = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text]) => text as string);

const hasTerminals = existsSync(join(root, 'node_modules/@lydell/node-pty'));
if (!hasTerminals) console.warn('@lydell/node-pty is missing: the page is not followed');

/** A newcomer's folder: the example, and an `npx` that runs this checkout. */
const folder = mkdtempSync(join(tmpdir(), 'page-'));
const children: ChildProcess[] = [];
let server: Serving;
beforeAll(async () => {
  built();
  mkdirSync(join(folder, 'bin'));
  const npx = join(folder, 'bin/npx');
  const program = join(root, 'apps/cli/bin/shoeprint.js');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(npx, 0o700);
  mkdirSync(join(folder, 'examples'));
  const example = readFileSync(join(root, 'examples/gateway.json'), 'utf8');
  const ports = example
    .replace('127.0.0.1:7301', `127.0.0.1:${await freePort()}`)
    .replace('127.0.0.1:7381', `127.0.0.1:${await freePort()}`);
  writeFileSync(join(folder, 'examples/gateway.json'), ports);
  const data = join(folder, 'data');
  server = await signedIn(Started.shoeprint(['serve', '--data', data, '--port', '0']));
}, START_MS);
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

/** A command line of the page, running in the newcomer's folder. */
function typed(command: string) {
  const child = spawn('sh', ['-euc', command], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      HOME: folder,
      SHOEPRINT_URL: server.url,
      SHOEPRINT_TOKEN: server.token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const ran = { child, said: '', code: undefined as number | null | undefined };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (ran.said += String(text)));
  child.once('close', (code) => (ran.code = code));
  return ran;
}

async function ended(ran: ReturnType<typeof typed>): Promise<readonly [number | null, string]> {
  await eventually('the end of a command', () => ran.code !== undefined, START_MS);
  return [ran.code as number | null, ran.said];
}

const listed = async <T>(path: string): Promise<readonly T[]> =>
  ((await (await server.ask(path)).json()) as { lines: T[] }).lines;
const coups = async (table: string): Promise<number> =>
  (await listed(`/v1/coups?table=${table}`)).length;
const findings = async (table: string): Promise<readonly string[]> =>
  (await listed<{ code: string }>(`/v1/findings?table=${table}&status=all`)).map(
    ({ code }) => code,
  );

/** Runs a gateway of a table, kills it, and starts it again. Returns once two more coups came. */
async function killed(table: string, run: string): Promise<void> {
  const first = typed(`exec ${run}`);
  await eventually('cards on the log', async () => (await coups(table)) >= 2, START_MS);
  const [gateway = 0] = childrenOf(first.child.pid as number);
  process.kill(gateway, 'SIGKILL');
  await ended(first);
  const before = await coups(table);
  typed(`exec ${run}`);
  await eventually('later cards', async () => (await coups(table)) >= before + 2, START_MS);
}

describe('docs/integrating/gateway.md', () => {
  (hasTerminals ? it : it.skip)(
    'leads from a server to cards on the log by copying, and a kill leaves an outage',
    async () => {
      const [, key = '', emulate = '', configure = '', run = '', see = ''] = STEPS;
      expect(STEPS).toHaveLength(6);
      expect(await ended(typed(key.slice(key.indexOf('(umask'))))).toEqual([0, '']);
      const shoe = typed(`exec ${emulate}`);
      const path = await eventually('the shoe', () => /^\/dev\/\S+$/m.exec(shoe.said)?.[0]);
      const [code, checked] = await ended(typed(configure.replace('/dev/pts/4', path)));
      expect([code, checked]).toEqual([0, expect.stringContaining('nothing is wrong')]);
      await killed('B07', run);
      const [, seen] = await ended(typed(see));
      expect(seen).toMatch(/^table B07: ready[^]*events delivered since the start[^]*"coup":1,/);
      const codes = await findings('B07');
      expect(codes).toContain('DV-06');
      // DV-04: it was killed between two coups, and started in the middle of one.
      expect(codes.filter((code) => !['DV-04', 'DV-06'].includes(code))).toEqual([]);
    },
    START_MS,
  );

  it(
    'has nothing to find of a device on line protocol 1 whose gateway was killed',
    async () => {
      const [, key = '', , configure = '', run = ''] = STEPS;
      const toB08 = (step: string): string => step.replaceAll('B07', 'B08');
      expect(await ended(typed(toB08(key.slice(key.indexOf('(umask')))))).toEqual([0, '']);
      const example = readFileSync(join(folder, 'examples/gateway.json'), 'utf8');
      const listen = `127.0.0.1:${await freePort()}`;
      const other = JSON.parse(toB08(example)) as { devices: object[]; health: object };
      other.devices[1] = { name: 'B08-line', protocol: 'line-1', port: { listen } };
      other.health = { listen: `127.0.0.1:${await freePort()}` };
      writeFileSync(join(folder, 'examples/B08.json'), JSON.stringify(other));
      const write = toB08(configure).replaceAll('gateway.json', 'B08.json').split('npx')[0] ?? '';
      expect(await ended(typed(write))).toEqual([0, '']);
      typed(
        `exec npx shoeprint emulate line-1 --seed 7 --table B08 --connect ${listen} --speed 20`,
      );
      await killed('B08', run.replace('gateway.json', 'B08.json'));
      expect(await findings('B08')).toEqual([]);
    },
    START_MS,
  );
});
