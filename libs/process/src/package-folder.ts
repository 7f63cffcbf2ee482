import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the package's own folder: the nearest folder above this file that contains published
 * rules. Works in the sources and in the build.
 */
export function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'rules', 'manifest.json'))) return folder;
    if (folder === dirname(folder)) throw new Error('the folder rules/ of this package is missing');
  }
}

/** Returns the version of this program, as its package names it. */
export const appVersion = (): string =>
  (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { version: string })
    .version;

/**
 * Returns the commit that this program was built from, with `-dirty` after it if files had changed,
 * or `unknown` if it was not built from a repository.
 */
export function appCommit(): string {
  const file = join(packageFolder(), 'dist', 'commit.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : 'unknown';
}
