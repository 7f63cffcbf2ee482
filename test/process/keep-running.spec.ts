import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { eventually } from '../kit/eventually.js';

const dir = mkdtempSync(join(tmpdir(), 'shoeprint-running-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const LAUNCHER = `
  import { keepRunning } from '#process';
  process.exitCode = await keepRunning(process.argv.slice(1), process.env);`;

/** A program that does one thing at each start: the first, the second, and so on. */
const PROGRAM = `
  const { readFileSync, writeFileSync } = require('node:fs');
  const [, file, ...acts] = process.argv;
  const start = Number(readFileSync(file, 'utf8'));
  writeFileSync(file, String(start + 1));
  const act = acts[Math.min(start, acts.length - 1)];
  const open = setInterval(() => undefined, 1_000);
  const end = (what) =>
    isNaN(what) ? process.kill(process.pid, what) : process.exit(Number(what));
  if (act === 'fill') for (const all = []; ; ) all.push({ all: [...all.slice(-1_000)] });
  if (act === 'run') process.on('SIGTERM', () => end(0));
  if (act.startsWith('ready ')) process.send('ready', () => end(act.slice(6)));
  else if (act !== 'run') end(act);
  if (act === 'run') console.log('it runs');`;

let programs = 0;

/** A launcher of a program that does `acts`, with a small heap. */
function launched(...acts: readonly string[]) {
  programs += 1;
  const file = join(dir, `starts-${programs}`);
  writeFileSync(file, '0');
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', LAUNCHER, '--', '-e', PROGRAM, '--', file, ...acts],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SHOEPRINT_HEAP_MB: '128' },
    },
  );
  const launch = { said: '', starts: () => Number(readFileSync(file, 'utf8')) };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (launch.said += text));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  return { launch, ended, child };
}

it.each([
  ['SIGKILL', 'was killed by SIGKILL'],
  ['SIGABRT', 'was killed by SIGABRT'],
  ['75', 'ended with code 75'],
  ['ready 1', 'ended with code 1'],
  ['ready 70', 'ended with code 70'],
])('a server that ends by %s is started again, and a line says so', async (act, words) => {
  const { launch, ended } = launched(act, '0');
  expect(await ended).toBe(0);
  expect(launch.starts()).toBe(2);
  expect(launch.said).toBe(`shoeprint: the server ${words}. Starting it again in 1 s.\n`);
});

it.each<[string, number]>([
  ['0', 0],
  ['2', 2],
  ['1', 1],
  ['ready 0', 0],
  ['ready 2', 2],
  ['SIGTERM', 143],
  ['SIGINT', 130],
])('a server that ends by %s is not started again', async (act, code) => {
  const { launch, ended } = launched(act);
  expect(await ended).toBe(code);
  expect([launch.starts(), launch.said]).toEqual([1, '']);
});

it('starts a server again whose heap reached its limit', async () => {
  const { launch, ended } = launched('fill', '0');
  expect(await ended).toBe(0);
  expect(launch.starts()).toBe(2);
  expect(launch.said).toMatch(/heap out of memory/);
  expect(launch.said).toMatch(/the server was killed by SIGABRT\. Starting it again in 1 s\.\n$/);
});

it('waits twice as long before each start', async () => {
  const { launch, ended } = launched('75', 'SIGKILL', '2');
  expect(await ended).toBe(2);
  expect(launch.starts()).toBe(3);
  expect(launch.said.match(/in \d+ s/g)).toEqual(['in 1 s', 'in 2 s']);
});

it('starts a server again that fails later, once it was ready', async () => {
  const { launch, ended } = launched('ready SIGKILL', '1', '0');
  expect(await ended).toBe(0);
  expect(launch.starts()).toBe(3);
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'ends at once with 0 on %s while it waits to start the server again',
  async (signal) => {
    const { launch, ended, child } = launched('75');
    await eventually('the second pause', () => launch.said.includes('in 2 s'));
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(launch.starts()).toBe(2);
  },
);

it('passes a request to stop on to a server that was started again', async () => {
  const { launch, ended, child } = launched('SIGKILL', 'run');
  await eventually('the second start', () => launch.said.includes('it runs'));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(launch.starts()).toBe(2);
});
