import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildVerifier } from '../../scripts/build-verifier.mjs';
import { playedPackage, type PlayedPackage } from './played-package.js';
import { forged } from './forged.js';
import type { PackageFiles } from './site-package.js';

const folder = mkdtempSync(join(tmpdir(), 'one-file-'));
const verifier = join(folder, 'shoeprint-verify.mjs');
let played: PlayedPackage;
let hash: string;

beforeAll(async () => {
  hash = await buildVerifier(verifier);
  played = await playedPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes the files into a folder of their own and runs the one file on it. */
function verified(name: string, files: PackageFiles, ...options: string[]) {
  for (const [path, bytes] of files) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  const args = [verifier, join(folder, name), ...options];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}

/** Returns the faults of a report in JSON. */
function faultsIn(report: string): readonly unknown[] {
  const { faults } = JSON.parse(report);
  return faults as readonly unknown[];
}

describe('shoeprint-verify.mjs', () => {
  test('is built with the same bytes again', async () => {
    expect(await buildVerifier(join(folder, 'again.mjs'))).toBe(hash);
  });

  test('imports modules of Node only', () => {
    const text = readFileSync(verifier, 'utf8');
    const imported = [...text.matchAll(/^(?:import|export)\b[^'"\n]*from ["']([^"']+)["']/gm)];
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.map(([, name]) => name).filter((name) => !name?.startsWith('node:'))).toEqual(
      [],
    );
  });

  test('begins with the checks of steps 1 to 6, in at most 1,000 lines', () => {
    const lines = readFileSync(verifier, 'utf8').split('\n');
    const end = lines.findIndex((line) =>
      line.startsWith('// The checks of steps 1 to 6 end here'),
    );
    const modules = lines.slice(0, end).filter((line) => /^\/\/ \S+\/\S+$/.test(line));
    const checks = readdirSync('libs/evidence/src/checks');
    expect(modules.toSorted()).toEqual(
      checks.map((name) => `// libs/evidence/src/checks/${name}`).toSorted(),
    );
    expect(modules[0]).toBe('// libs/evidence/src/checks/verify.ts');
    expect(lines[3]).toMatch(/^async function verifyPackage\(/);
    expect(end).toBeLessThanOrEqual(1_000);
    expect(lines.slice(end).filter((line) => line.includes('/src/checks/'))).toEqual([]);
  });

  test('has checks that use nothing of what stands after them while they are loaded', () => {
    const text = readFileSync(verifier, 'utf8');
    const checks = join(folder, 'checks.mjs');
    writeFileSync(checks, text.slice(0, text.indexOf('// The checks of steps 1 to 6 end here')));
    const { status, stderr } = spawnSync(process.execPath, [checks], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('finds a package of played shoes intact, from a folder with nothing installed', () => {
    const { status, stdout } = verified('whole', played.files, '--key', played.site.logKey.vkey);
    expect(stdout).toMatch(/^INTACT {2}played: 3,503 events in 3,503 records of table B07/);
    expect(status).toBe(0);
  });

  test('names the record and the line of one changed character', () => {
    const path = 'data/tables/0/events.ndjson';
    const bytes = Buffer.from(played.files.get(path) ?? []);
    const at = bytes.indexOf('"to":"player"', bytes.length >> 1);
    const line = bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
    bytes[at + '"to":"p'.length] = 0x4c;
    const changed = new Map(played.files).set(path, bytes);
    const key = played.site.logKey.vkey;
    const { status, stdout } = verified('changed', changed, '--key', key, '--json');
    expect(status).toBe(1);
    const [fault] = faultsIn(stdout);
    expect(fault).toMatchObject({
      ...{ kind: 'altered', file: path, table: 'B07', record: line - 1, line },
    });
  });

  test('names the finding that was taken out, though all hashes were mended', () => {
    const hidden = new Map(played.files).set('data/findings.ndjson', Buffer.alloc(0));
    const files = forged(hidden, played.site.exportsKey);
    const key = played.site.logKey.vkey;
    const { status, stdout } = verified('hidden', files, '--key', key, '--json');
    expect(status).toBe(1);
    expect(faultsIn(stdout)).toMatchObject([{ step: 8, file: 'data/findings.ndjson', line: 1 }]);
  });

  test('refuses a key that is not a key, with exit 3', () => {
    const { status, stderr } = verified('whole', new Map(), '--key', 'x+y+z');
    expect(status).toBe(3);
    expect(stderr).toContain('--key');
  });
});
