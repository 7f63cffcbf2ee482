// `npm start`: builds what is not built or older than its sources, then runs everything in one process (apps/standalone).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist/apps/standalone/src/main.js');

/** @param {string} folder */
const newest = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .reduce(
      (latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
      0,
    );

if (
  !existsSync(main) ||
  ['apps', 'libs'].some((folder) => newest(join(root, folder)) > statSync(main).mtimeMs)
) {
  const built = spawnSync(
    process.execPath,
    [join(root, 'node_modules/@nestjs/cli/bin/nest.js'), 'build', '--all'],
    { cwd: root, encoding: 'utf8' },
  );
  if (built.status !== 0) {
    process.stderr.write(`${built.stdout}${built.stderr}`);
    process.exit(built.status ?? 1);
  }
}

// The channel between them closes when this process is killed, and the child then stops too. Ctrl-C reaches the whole
// group: the child stops by itself, and this process waits for it.
const child = spawn(
  process.execPath,
  ['--enable-source-maps', main, '--sample-day', ...process.argv.slice(2)],
  { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => (signal === 'SIGINT' ? undefined : child.kill(signal)));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
