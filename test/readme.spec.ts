import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The commands in README's code blocks, without npm's and without comments. */
const COMMANDS = [...readme.matchAll(/^(?:npm ci && )?npx (shoeprint [^#\n]+)/gm)].map(
  ([, command]) => (command as string).trim(),
);

/**
 * The expected exit codes: `audit` of faulty shoes and the linting of a contradictory chart exit
 * with 1.
 */
const EXITS: Readonly<Record<string, number>> = {
  'shoeprint audit examples/faulty-shoe.ndjson': 1,
  'shoeprint audit shoes.ndjson': 1,
  'shoeprint rules lint rules/charts/seed-001.json': 1,
};

describe('README', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shoeprint-readme-'));
    for (const name of ['examples', 'rules']) symlinkSync(join(root, name), join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shows commands', () => {
    expect(COMMANDS.length).toBeGreaterThan(5);
    for (const command of Object.keys(EXITS)) expect(COMMANDS).toContain(command);
  });

  // In the order of the page, because a later command may read the output of an earlier one.
  it.each(COMMANDS)('npx %s', (command) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'apps/cli/bin/shoeprint.js'), ...command.split(/\s+/).slice(1)],
      { cwd: folder, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: EXITS[command] ?? 0, stderr: '' });
    if (!command.includes('--out')) expect(stdout).not.toBe('');
  });

  it('names scripts that npm has', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/\bnpm (?:run )?(start|test|[a-z]+:[a-z]+)\b/g)].map(
      ([, script]) => script as string,
    );
    expect(named).toEqual(expect.arrayContaining(['start', 'test']));
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
    expect(scripts.start).toBe('node scripts/start.mjs'); // These are run by test/standalone.
  });

  it('links to pages that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link as string);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, link)))).toEqual(
      [],
    );
  });
});
