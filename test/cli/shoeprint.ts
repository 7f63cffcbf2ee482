import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';
import { isStale } from '../../scripts/freshness.mjs';
import type { AuditedShoe, Counts, Finding, Item, LedgerLine, Unjudgeable } from '#audit';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The result of a run of the command line. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The object of `audit --json` (contract section 6). */
export interface Audited {
  readonly events: Counts;
  readonly shoes: readonly Pick<
    AuditedShoe,
    'table' | 'shoe' | 'rules' | 'decks' | 'coups' | 'cards' | 'closed'
  >[];
  readonly findings: readonly Finding[];
  readonly unjudgeable: readonly Unjudgeable[];
  readonly commission: readonly LedgerLine[];
  readonly reviews: readonly {
    readonly finding: string;
    readonly state: Item['state'] | null;
    readonly disposition: string | null;
    readonly proposedBy: string | null;
    readonly signedBy: string | null;
    readonly evidence: string | null;
    readonly regressed: boolean;
    readonly touched: boolean;
    readonly events: readonly {
      readonly ref: string;
      readonly type: string;
      readonly by: string;
      readonly outcome: string;
    }[];
  }[];
}

const BUILDING = join(root, 'node_modules', '.shoeprint-building.pid');
const BUILD_MS_MAX = 300_000;

/**
 * Users run the built programs and the built console, so the tests do too. Builds all of it if any
 * of it is older than its sources; other processes that ask meanwhile wait. Throws if the build
 * fails.
 */
export function built(): void {
  const until = Date.now() + BUILD_MS_MAX;
  while (!isBuilder()) {
    if (Date.now() > until)
      throw new Error(`the process in ${BUILDING} has been building for five minutes`);
    waitMs(100);
  }
  try {
    if (isStale()) build();
  } finally {
    rmSync(BUILDING, { force: true });
  }
}

/** Returns whether this process is now the one that builds. One that was killed no longer is. */
function isBuilder(): boolean {
  try {
    writeFileSync(BUILDING, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isOfALivingProcess(BUILDING)) rmSync(BUILDING, { force: true });
    return false;
  }
}

function isOfALivingProcess(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return pid === 0 || process.kill(pid, 0); // 0: the process is just writing it
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function build(): void {
  // with it, Vite would build React for development
  const { NODE_ENV: _test, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32', // npm is a script there
  });
  if (status !== 0) throw new Error(`npm run build ended with ${status}\n${stdout}${stderr}`);
}

/**
 * Runs `shoeprint` with these arguments from the package's folder, without colors unless `env` asks
 * for them. `from`: a copy of the package.
 */
export function shoeprint(
  args: readonly string[],
  {
    input = '',
    env = {},
    from = root,
  }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly from?: string } = {},
): Ran {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(from, 'apps/cli/bin/shoeprint.js'), ...args],
    { cwd: root, input, env: { ...rest, ...env }, maxBuffer: 1 << 28, encoding: 'utf8' },
  );
  return { code: status, stdout, stderr };
}

/** Runs `shoeprint` while this process continues, which may be the server that it talks to. */
export async function shoeprintBeside(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...rest } = process.env;
  const child = spawn(process.execPath, [join(root, 'apps/cli/bin/shoeprint.js'), ...args], {
    cwd: root,
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (piece: string) => (said[stream] += piece));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...said };
}

/** Runs `shoeprint` with a reader that leaves after the first piece of output. */
export async function readByOneWhoLeaves(
  args: readonly string[],
): Promise<Pick<Ran, 'code' | 'stderr'>> {
  const child = spawn(process.execPath, [join(root, 'apps/cli/bin/shoeprint.js'), ...args], {
    cwd: root,
  });
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { code, stderr };
}

/** Returns the object that `audit --json` prints for these files. */
export const audited = (...args: readonly string[]): Audited =>
  JSON.parse(shoeprint(['audit', '--json', ...args]).stdout) as Audited;

const folder = mkdtempSync(join(tmpdir(), 'shoeprint-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file for this test and returns its path. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Returns events as the text of a file. */
export const lines = (events: readonly unknown[]): string =>
  events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('');
