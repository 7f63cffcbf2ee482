import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildVerifier } from '../../scripts/build-verifier.mjs';

/** 86 to 92 MB were measured; 114 without the limits of the heaps, 155 with chunks of 1 MB too. */
const MOST_BYTES = 105 * 1024 * 1024;
const EVENTS = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'verifier-memory-'));
const root = fileURLToPath(new URL('../../', import.meta.url));
const verifier = join(folder, 'shoeprint-verify.mjs');
const usage = join(folder, 'usage.mjs');
const program = (...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });

beforeAll(async () => {
  await buildVerifier(verifier);
  // `maxRSS` of a new process includes what its parent held: it is looked at while it runs
  writeFileSync(
    usage,
    `let peak = 0;
    const look = () => (peak = Math.max(peak, process.memoryUsage.rss()));
    setInterval(look, 10).unref();
    process.on('exit', () => console.log(look()));`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the verifier keeps the heap small while it reads a large zip', () => {
  const made = join(folder, 'large');
  const key = program('bench/evidence/large-package.mjs', made, String(EVENTS), '1').trim();
  const options = [`${made}.zip`, '--key', key, '--json'];
  const [report = '', peak = ''] = program('--import', usage, verifier, ...options).split('\n');
  expect(JSON.parse(report)).toMatchObject({ verdict: 'INTACT', counts: { events: EVENTS } });
  expect(Number(peak)).toBeGreaterThan(0);
  expect(Number(peak)).toBeLessThan(MOST_BYTES);
}, 300_000);
