// Checks types in five projects: all that runs on Node, the console with the types of a browser,
// its tests with both, and each pure library without either, so that no clock, file or Buffer can
// enter the game or the audit unnoticed. The compiler notes what it has checked, and checks again
// only what a change affects. Nothing is checked if no file changed since all projects passed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const projects = [
  'tsconfig.json',
  'apps/console/tsconfig.json',
  'test/console/tsconfig.json',
  'libs/baccarat/tsconfig.lib.json',
  'libs/audit/tsconfig.lib.json',
  'libs/evidence/tsconfig.lib.json',
  'libs/devices/tsconfig.lib.json',
];
const CHECKED = 'node_modules/.cache/typescript';
/** Holds the state of the files when all projects passed last. */
const PASSED = join(CHECKED, 'passed');
/** What the compiler reads. The types of packages are those of `package-lock.json`. */
const FOLDERS = ['apps', 'bench', 'docs', 'examples', 'libs', 'scripts', 'test'];
const TYPED = /\.(ts|tsx|mjs|json)$/;

/** Returns a digest of the names, sizes and times of all that the compiler reads. */
function stateOfFiles() {
  const files = [
    ...readdirSync('.').filter((name) => TYPED.test(name)),
    'dist/api-types.d.ts',
    ...FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => TYPED.test(name))
        .map((name) => join(folder, name)),
    ),
  ];
  const digest = createHash('sha256');
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
    digest.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

/** @param {string} project */
function check(project) {
  const notes = `${CHECKED}/${project.replaceAll('/', '-')}.tsbuildinfo`;
  const { status } = spawnSync(
    process.execPath,
    [
      ...['node_modules/typescript/bin/tsc', '--noEmit', '-p', project],
      ...['--incremental', '--tsBuildInfoFile', notes],
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) {
    console.error(`types: ${project} failed`);
    process.exit(1);
  }
}

const state = stateOfFiles();
if (existsSync(PASSED) && readFileSync(PASSED, 'utf8') === state) {
  console.log('types: nothing changed since they were checked');
} else {
  projects.forEach(check);
  writeFileSync(PASSED, state);
  console.log(`types: ${projects.length} projects checked`);
}
