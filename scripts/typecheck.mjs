// Checks types in seven projects: all that runs on Node, the console with the types of a browser,
// its tests with both, and each pure library without either, so that no clock, file or Buffer can
// enter the game or the audit unnoticed. The compiler notes what it has checked, and checks again
// only what a change affects. It is TypeScript 7, which needs a fifth of the time. Some packages
// need the library of TypeScript 6, which is installed as `typescript`.
import { spawnSync } from 'node:child_process';

const PROJECTS = [
  'tsconfig.json',
  'apps/console/tsconfig.json',
  'test/console/tsconfig.json',
  'libs/baccarat/tsconfig.lib.json',
  'libs/audit/tsconfig.lib.json',
  'libs/evidence/tsconfig.lib.json',
  'libs/devices/tsconfig.lib.json',
];

for (const project of PROJECTS) {
  const notes = `node_modules/.cache/typescript/${project.replaceAll('/', '-')}.tsbuildinfo`;
  const { status } = spawnSync(
    process.execPath,
    [
      ...['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', project],
      ...['--incremental', '--tsBuildInfoFile', notes],
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) {
    console.error(`types: ${project} failed`);
    process.exit(1);
  }
}
console.log(`types: ${PROJECTS.length} projects checked`);
