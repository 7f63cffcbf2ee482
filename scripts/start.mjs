// `npm start`: builds the server if it is not built or older than its sources, then runs everything
// in one process (apps/standalone), and starts that again if it crashes or is killed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isStale } from './freshness.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function build() {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32', // npm is a script there
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
const { keepRunning } = await import('#process');
process.exitCode = await keepRunning(
  [
    '--enable-source-maps',
    join(root, 'dist/apps/standalone/src/main.js'),
    '--sample-day',
    ...process.argv.slice(2),
  ],
  process.env,
);
