// `npm test`: builds if a part of the build is older than the sources, then runs jest, and types,
// lint and the pinned rule documents beside it. Jest waits for servers most of the time, so the
// checks take little longer than jest alone. Arguments go to jest.
// `--quick` is for the pure libraries. It starts no server, tries a 21st of the random cases, and
// builds only if there is no client of the api, which types need. That client can be older than the
// api, so a whole run builds what is stale. Both check types, lint and imports of every file.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isStale } from './freshness.mjs';

const isQuick = process.argv.includes('--quick');
const args = process.argv.slice(2).filter((arg) => arg !== '--quick');

const npm = (/** @type {readonly string[]} */ ...words) => ['run', '--silent', ...words];

if (isQuick ? !existsSync('dist/api-types.d.ts') : isStale()) {
  const { status } = spawnSync('npm', npm('build'), { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/**
 * Runs npm scripts one after the other until one fails. Returns whether all passed, and their
 * output.
 * @param {readonly string[]} scripts
 */
async function check(scripts) {
  let printed = '';
  for (const script of scripts) {
    const child = spawn('npm', npm(script), { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (/** @type {Buffer} */ data) => (printed += data.toString()));
    if ((await ended(child)) !== 0)
      return { passed: false, printed: `${printed}${script} failed\n` };
  }
  return { passed: true, printed };
}

/** @type {(child: import('node:child_process').ChildProcess) => Promise<number | null>} */
const ended = (child) => new Promise((resolve) => child.on('close', resolve));

if (isQuick) process.env.SHOEPRINT_TEST_QUICK = '1';
const jest = spawn('npm', npm('jest', '--', ...args), { stdio: 'inherit' });
const [checks, code] = await Promise.all([
  check(['typecheck', 'lint', 'rules:check']),
  ended(jest),
]);
process.stderr.write(checks.printed);
process.exit(checks.passed ? (code ?? 1) : 1);
