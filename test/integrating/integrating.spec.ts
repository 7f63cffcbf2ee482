import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { built } from '../cli/shoeprint.js';
import { endAll, signedIn, START_MS, Started, type Serving } from '../cli/serving.js';
import { eventually } from '../kit/eventually.js';
import { FaultyProxy } from './faulty-proxy.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'docs', 'integrating');
const page = readFileSync(join(folder, 'README.md'), 'utf8');

/** The programs of the page: their language in its blocks, and what runs them. */
const PROGRAMS = [
  { file: 'send.sh', language: 'sh', needs: ['sh', 'curl'], run: ['sh'] },
  { file: 'send.py', language: 'python', needs: ['python3'], run: ['python3'] },
  { file: 'send.mjs', language: 'js', needs: ['node'], run: [process.execPath] },
  { file: 'send.cs', language: 'csharp', needs: ['dotnet'], run: ['dotnet', 'run'] },
] as const;

const isThere = (tool: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
const runnable = PROGRAMS.filter(({ needs }) => needs.every(isThere));
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text as string,
  );

/** What a command printed, and how it ended. */
interface Ran {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a command from the package's folder with only this environment. */
async function run(
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, said };
}

const data = mkdtempSync(join(tmpdir(), 'shoeprint-integrating-'));
let server: Serving;
beforeAll(async () => {
  built();
  server = await signedIn(Started.shoeprint(['serve', '--data', data, '--port', '0']));
}, START_MS);
afterAll(async () => {
  await endAll();
  rmSync(data, { recursive: true, force: true });
});

/** Returns what is said of a table once its events are judged. */
async function judged(
  table: string,
): Promise<{ coups: readonly object[]; findings: readonly object[] }> {
  const list = async (path: string): Promise<readonly object[]> =>
    ((await (await server.ask(path)).json()) as { lines: readonly object[] }).lines;
  await eventually(
    `the shoe of ${table} closed`,
    async () => {
      const [shoe] = (await list(`/v1/shoes?table=${table}`)) as { closed: boolean }[];
      return shoe?.closed;
    },
    START_MS,
  );
  return {
    coups: await list(`/v1/coups?table=${table}`),
    findings: await list(`/v1/findings?table=${table}`),
  };
}

describe('docs/integrating', () => {
  it.each(PROGRAMS)('shows $file as it is', ({ file, language }) => {
    expect(blocks(language)).toContain(readFileSync(join(folder, file), 'utf8'));
  });

  it('links to each of its files, and to pages that exist', () => {
    const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link as string);
    expect(links).toEqual(expect.arrayContaining(PROGRAMS.map(({ file }) => file)));
    const others = readdirSync(folder).filter((file) => !links.includes(file));
    expect(others).toEqual(['README.md']);
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('(docs/integrating/README.md)');
  });

  it(
    'leads from a sign-in to the first coup by copying',
    async () => {
      const steps = blocks('sh').filter((block) => !/npm start|\/v1\/sign-in|^#!/.test(block));
      expect(steps).toHaveLength(4);
      const [key, check, send, see] = steps as [string, string, string, string];
      const { code, said } = await run(['sh', '-euc', [key, check, 'echo', send].join('\n')], {
        SHOEPRINT_URL: server.url,
        SHOEPRINT_TOKEN: server.token,
      });
      expect([code, said]).toEqual([
        0,
        expect.stringMatching(/^spk_\S+\n\{.*\}\nrecorded 11 events/s),
      ]);
      const checked = JSON.parse(said.split('\n')[1] as string) as { findings: { code: string }[] };
      expect(checked.findings.map((finding) => finding.code)).toEqual(['DL-15']);
      await judged('X01');
      const shown = await run(['sh', '-euc', see.split('\n').join('\necho\n')], {
        SHOEPRINT_URL: server.url,
        SHOEPRINT_TOKEN: server.token,
      });
      const [coups, findings] = shown.said
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => (JSON.parse(line) as { lines: { outcome?: string }[] }).lines);
      expect(coups).toMatchObject([{ table: 'X01', outcome: 'player' }]);
      expect(findings).toEqual([]);
    },
    START_MS,
  );

  it('names the programs that cannot run here', () => {
    const missing = PROGRAMS.filter((program) => !runnable.includes(program));
    if (missing.length > 0)
      process.stdout.write(
        `not run, because the tool is missing: ${missing.map(({ file, needs }) => `${file} (${needs.join(', ')})`).join(', ')}\n`,
      );
    expect(runnable.map(({ file }) => file)).toContain('send.mjs');
  });

  it.each(runnable)(
    'sends a card and a whole coup once with $file, through cuts, 503 and 504',
    async ({ file, run: command }) => {
      const table = `E-${file.split('.')[1]}`;
      const made = (await (
        await server.ask('/v1/keys', {
          name: table,
          sources: [`device/${table}-*`],
          tables: [table],
          types: ['*'],
        })
      ).json()) as { token: string };
      const proxy = await FaultyProxy.before(server.url);
      try {
        const [tool, ...args] = command as readonly [string, ...string[]];
        const ran = await run([tool, ...args, join(folder, file), table], {
          SHOEPRINT_URL: proxy.url,
          SHOEPRINT_KEY: made.token,
        });
        expect([ran.code, ran.said]).toEqual([
          0,
          expect.stringContaining(`recorded 11 events of table ${table}\n`),
        ]);
        expect(proxy.requests).toBe(7 + 1);
      } finally {
        await proxy.close();
      }
      const { coups, findings } = await judged(table);
      expect(coups).toMatchObject([{ outcome: 'player' }]);
      expect(findings).toEqual([]);
      const { lines } = (await (await server.ask(`/v1/tables?table=${table}`)).json()) as {
        lines: { events: Record<string, number> }[];
      };
      expect(lines[0]?.events).toMatchObject({ admitted: 11, duplicates: expect.any(Number) });
      expect(lines[0]?.events.duplicates).toBeGreaterThan(0);
    },
    START_MS,
  );

  it.each(runnable)(
    'stops at a refusal and shows it, with $file',
    async ({ file, run: command }) => {
      const [tool, ...args] = command as readonly [string, ...string[]];
      const ran = await run([tool, ...args, join(folder, file), 'T1'], {
        SHOEPRINT_URL: server.url,
        SHOEPRINT_KEY: 'spk_unknown',
      });
      expect([ran.code, ran.said]).toEqual([
        1,
        expect.stringMatching(/^refused: 401 .*urn:shoeprint:problem:not-signed-in/s),
      ]);
    },
  );
});
