// Tells whether a file of dist is older than the sources that it was made from.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What `npm run build` compiles, the console's pages included. */
const SOURCE = /\.(ts|tsx|css|json|html)$/;

/** @param {string} folder */
const newest = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .reduce(
      (latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
      0,
    );

/**
 * Returns whether a file is missing or older than a source of the programs or the libraries.
 * @param {string} file its path from the root
 */
export const isStale = (file) =>
  !existsSync(join(root, file)) ||
  ['apps', 'libs'].some(
    (folder) => newest(join(root, folder)) > statSync(join(root, file)).mtimeMs,
  );
