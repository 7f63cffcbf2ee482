// Writes the commit that is being built to dist/commit.txt: packages of evidence say what made
// them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));

/** @param {readonly string[]} args */
const git = (args) => {
  const { status, stdout } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

const commit = git(['rev-parse', 'HEAD']);
const changed = git(['status', '--porcelain', '--untracked-files=no']);
mkdirSync(new URL('../dist', import.meta.url), { recursive: true });
writeFileSync(
  new URL('../dist/commit.txt', import.meta.url),
  `${commit ?? 'unknown'}${changed ? '-dirty' : ''}\n`,
);
