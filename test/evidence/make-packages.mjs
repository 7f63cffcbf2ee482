// Writes sample packages of every scope into a folder: what two verifiers can be compared on.
//   node test/evidence/make-packages.mjs FOLDER
// Needs no build. Each package is there as NAME.zip and as the folder NAME; log.vkey and
// witness.vkey are for --key and --witness, the files checkpoint-… for --trusted. The package `day`
// and `shoe` verify with the checkpoint of the first day. checkpoint-fork contradicts all of them.
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/evidence/make-packages.mjs FOLDER');
const here = dirname(fileURLToPath(import.meta.url));
const bundled = mkdtempSync(join(here, '../../node_modules/.make-packages-'));
try {
  const outfile = join(bundled, 'write-packages.mjs');
  await build({
    entryPoints: [join(here, 'write-packages.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    packages: 'external',
    external: ['@zip.js/zip.js'],
  });
  /** @type {typeof import('./write-packages.js')} */
  const { writePackages } = await import(pathToFileURL(outfile).href);
  const written = await writePackages(folder);
  console.log(`${written.length} files written to ${folder}`);
} finally {
  rmSync(bundled, { recursive: true });
}
