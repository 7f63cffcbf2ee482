// Tells whether what `npm run build` writes is older than the sources that it was made from.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the build reads, the console's pages included. */
const SOURCE = /\.(ts|tsx|js|mjs|css|json|html|svg)$/;

/** The last file that each step of the build writes. A step that fails leaves its own as it was. */
const OUTPUTS = [
  'dist/apps/standalone/src/main.js',
  'dist/apps/console/index.html',
  'dist/shoeprint-verify.mjs',
  'dist/api-types.d.ts',
];

/** @param {string} folder */
const newest = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .reduce(
      (latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
      0,
    );

/** @param {string} file */
const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Returns whether an output of the build is missing or older than a source of the programs or the
 * libraries.
 * @param {string} [folder] The folder of the package.
 */
export function isStale(folder = root) {
  const oldest = Math.min(...OUTPUTS.map((file) => writtenAt(join(folder, file))));
  return ['apps', 'libs'].some((sources) => newest(join(folder, sources)) > oldest);
}
