// `npm start`: builds the server if it is not built or older than its sources, then runs everything
// in one process (apps/standalone).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist/apps/standalone/src/main.js');
const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');

/** @param {string} folder */
const newest = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .reduce(
      (latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
      0,
    );

const isStale = () =>
  !existsSync(main) ||
  ['apps', 'libs'].some((folder) => newest(join(root, folder)) > statSync(main).mtimeMs);

function build() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [nest, 'build', '--all'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}

const parent = process.ppid;
if (isStale()) {
  if (process.stdout.isTTY)
    process.stdout.write('\n  Shoeprint builds itself, which takes some seconds\n');
  build();
}
if (process.ppid !== parent) process.exit(1); // the parent process has ended
const { runChild } = await import('#process');
process.exitCode = await runChild([
  '--enable-source-maps',
  main,
  '--sample-day',
  ...process.argv.slice(2),
]);
