import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serverEnvironment } from '../kit/answers.js';
import { createDatabase } from '../kit/database.js';
import { Started, START_MS } from '../cli/serving.js';
import { built } from '../cli/shoeprint.js';

const SCRIPT = resolve('deploy/start');
const bin = mkdtempSync(join(tmpdir(), 'shoeprint-bin-'));
afterAll(() => rmSync(bin, { recursive: true, force: true }));

/**
 * A `node` that runs the program that computes the limit, and in the place of any other program
 * prints its process id and arguments and then does what `ACT` says.
 */
const NODE = `#!/bin/sh
case "$*" in
  */print-heap-argument.js) exec '${process.execPath}' "$@" ;;
esac
echo "$$ $*"
eval "$ACT"
`;

beforeAll(() => {
  built();
  writeFileSync(join(bin, 'node'), NODE);
  chmodSync(join(bin, 'node'), 0o755);
});

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  serverEnvironment({ ACT: 'exit 0', ...env });

/** Runs the script with `node` in the place of programs. Returns what the program got. */
function started(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, signal, stdout, stderr, pid } = spawnSync(SCRIPT, args, {
    encoding: 'utf8',
    env: environment({ PATH: [bin, process.env.PATH].join(delimiter), ...env }),
  });
  const [own, ...words] = stdout.trim().split(' ');
  return { ended: signal ?? status, isSameProcess: own === String(pid), words, stderr };
}

/** Runs a built program through the script. */
const ran = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(SCRIPT, args, { encoding: 'utf8', env: environment(env) });

describe('deploy/start', () => {
  it('is a script that the shell of a minimal system reads', () => {
    expect(readFileSync(SCRIPT, 'utf8')).toMatch(/^#!\/bin\/sh\n/);
    for (const shell of ['sh', 'dash'])
      expect(spawnSync(shell, ['-n', SCRIPT], { encoding: 'utf8' }).stderr ?? '').toBe('');
  });

  it.each(['api', 'auditor', 'standalone'])(
    'runs %s with the limit of its heap, in the place of the script',
    (program) => {
      const { ended, isSameProcess, words } = started([program, '--print-config'], {
        SHOEPRINT_HEAP_MB: '321',
      });
      expect({ ended, isSameProcess }).toEqual({ ended: 0, isSameProcess: true });
      expect(words).toEqual([
        '--max-old-space-size=321',
        '--enable-source-maps',
        expect.stringMatching(new RegExp(`/dist/apps/${program}/src/main\\.js$`)),
        '--print-config',
      ]);
    },
  );

  it('runs the command line without a limit', () => {
    expect(started(['shoeprint', 'parked', '--help']).words).toEqual([
      expect.stringMatching(/\/apps\/cli\/bin\/shoeprint\.js$/),
      'parked',
      '--help',
    ]);
  });

  it('runs the gateway without a limit, in the place of the script', () => {
    const { ended, isSameProcess, words } = started(['gateway', 'run', 'B07.json']);
    expect({ ended, isSameProcess }).toEqual({ ended: 0, isSameProcess: true });
    expect(words).toEqual([
      '--enable-source-maps',
      expect.stringMatching(/\/dist\/apps\/gateway\/src\/main\.js$/),
      'run',
      'B07.json',
    ]);
  });

  it.each<[string, number | string]>([
    ['exit 75', 75],
    ['exit 2', 2],
    ['kill -ABRT $$', 'SIGABRT'],
    ['kill -TERM $$', 'SIGTERM'],
  ])('ends as the program does: %s', (act, ended) => {
    expect(started(['auditor'], { ACT: act }).ended).toBe(ended);
  });

  it('passes signals to the program', async () => {
    const child = spawn(SCRIPT, ['auditor'], {
      env: environment({
        PATH: [bin, process.env.PATH].join(delimiter),
        ACT: `trap 'exit 7' TERM; echo ready; while :; do read -r _; done`,
      }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
    for await (const piece of child.stdout) if (String(piece).includes('ready')) break;
    child.kill('SIGTERM');
    expect(await ended).toBe(7);
  });

  it.each([[], ['apis'], ['--print-config']])('refuses an unknown program: %p', (...args) => {
    const { ended, stderr } = started(args.filter((arg) => typeof arg === 'string'));
    expect(ended).toBe(2);
    expect(stderr).toMatch(/^deploy\/start: unknown program ".*": expected api, auditor/);
  });

  it('leaves an invalid limit to the program, which refuses it by its name', () => {
    const { status, stderr } = ran(['auditor', '--print-config'], {
      DATABASE_URL: 'postgres://a:b@127.0.0.1/c',
      SHOEPRINT_HEAP_MB: 'much',
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/SHOEPRINT_HEAP_MB: must be a whole number from 128 to 65536/);
  });

  it(
    'runs a program whose metrics show the limit',
    async () => {
      const database = await createDatabase();
      const auditor = Started.program([SCRIPT, 'auditor'], {
        DATABASE_URL: database.url,
        SHOEPRINT_METRICS_PORT: '0',
        SHOEPRINT_HEAP_MB: '200',
      });
      const [, url] = await auditor.saying(/"health":"([^"]+)"/);
      const text = await (await fetch(`${url}/metrics`)).text();
      const bytes = Number(/^shoeprint_heap_limit_bytes (\d+)$/m.exec(text)?.[1]);
      expect(bytes / 1024 ** 2).toBeGreaterThanOrEqual(200);
      expect(bytes / 1024 ** 2).toBeLessThan(300); // V8 adds what young objects take
      expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
      expect(text).toMatch(/^shoeprint_log_standstill_seconds 0$/m);
      expect(text).toMatch(/^shoeprint_log_connections_replaced_total 0$/m);
      expect(text).toMatch(/^shoeprint_projection_partitions_owned \d+$/m);
      expect(await auditor.stop()).toBe(0);
      expect(auditor.said).not.toContain('has no effect');
      await database.drop();
    },
    START_MS,
  );

  it('shows the limit among the settings, from any folder', () => {
    const { status, stdout } = spawnSync(SCRIPT, ['standalone', '--print-config'], {
      cwd: bin,
      encoding: 'utf8',
      env: environment({ SHOEPRINT_HEAP_MB: '500' }),
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ heapMb: 500 });
  });
});
