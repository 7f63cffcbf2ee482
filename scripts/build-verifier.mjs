// Builds dist/shoeprint-verify.mjs: the verifier of evidence packages as one file, which needs Node
// 20 and nothing else. The same commit gives the same bytes.
//   npm run build:verifier
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the verifier into a file and returns its SHA-256, in hexadecimal digits.
 * @param {string} outfile
 */
export async function buildVerifier(outfile) {
  await build({
    absWorkingDir: root,
    entryPoints: ['apps/cli/src/verify/main.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    legalComments: 'inline',
    // commander is CommonJS and asks for Node's modules with require.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return createHash('sha256').update(readFileSync(outfile)).digest('hex');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sha256 = await buildVerifier(
    fileURLToPath(new URL('../dist/shoeprint-verify.mjs', import.meta.url)),
  );
  console.log(`${sha256}  dist/shoeprint-verify.mjs`);
}
