import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The package's own folder: the nearest one above this file with published rules in it, built or
 * not.
 */
export function packageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'rules', 'manifest.json'))) return folder;
    if (folder === dirname(folder)) throw new Error('the folder rules/ of this package is missing');
  }
}
