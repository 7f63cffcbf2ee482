// Builds dist/shoeprint-verify.mjs: the verifier of evidence packages as one file, which needs Node
// 20 and nothing else. The same commit gives the same bytes. The checks of steps 1 to 6 stand
// first, then the formats that they rest on.
//   npm run build:verifier
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the verifier into a file and returns its SHA-256, in hexadecimal digits.
 * @param {string} outfile
 */
export async function buildVerifier(outfile) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['apps/cli/src/verify/main.ts'],
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    legalComments: 'inline',
    // commander is CommonJS and asks for Node's modules with require.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  const text = checksFirst(outputFiles[0]?.text ?? '');
  writeFileSync(outfile, text);
  return createHash('sha256').update(text).digest('hex');
}

const CHECKS = 'libs/evidence/src/checks/';
const FORMATS = 'libs/evidence/';
/** What stands before and after the checks, for their reader. */
const BEGIN = `#!/usr/bin/env node
// The checks of steps 1 to 6 of a package come first. Callers stand before what they call.
`;
const END = `// The checks of steps 1 to 6 end here. The formats, readers and trees that they rest
// on follow, and steps 7 and 8; then the command line, and the judges of the game.
`;

/**
 * Moves the modules of libs/evidence to the front, the checks first. A module that runs before its
 * imports must not use them while it is loaded: the checks only declare. The other modules keep
 * their order, and import nothing of what comes after them.
 * @param {string} text
 */
function checksFirst(text) {
  const [runtime = '', ...modules] = text.split(
    /^(?=\/\/ (?:libs|apps|rules|node_modules)\/\S+$)/m,
  );
  /** @type {(folder: string) => (module: string) => boolean} */
  const isIn = (folder) => (module) => module.startsWith(`// ${folder}`);
  const checks = modules.filter(isIn(CHECKS)).reverse();
  const formats = modules.filter((module) => isIn(FORMATS)(module) && !isIn(CHECKS)(module));
  const others = modules.filter((module) => !isIn(FORMATS)(module));
  return [BEGIN, ...checks, END, ...formats, runtime, ...others].join('');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sha256 = await buildVerifier(
    fileURLToPath(new URL('../dist/shoeprint-verify.mjs', import.meta.url)),
  );
  console.log(`${sha256}  dist/shoeprint-verify.mjs`);
}
