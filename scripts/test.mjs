// `npm test`: builds if a part of the build is older than the sources, then runs jest, and types,
// lint and the pinned rule documents beside it. Jest waits for servers most of the time, so the
// checks take little longer than jest alone. Arguments go to jest.
// `--quick` lints only files that changed since the last quick run. A change in another file can
// break a rule about types, so a whole run lints all of them.
import { spawn, spawnSync } from 'node:child_process';
import { isStale } from './freshness.mjs';

const isQuick = process.argv.includes('--quick');
const args = process.argv.slice(2).filter((arg) => arg !== '--quick');

/** Makes ESLint look at changed files only. */
const CHANGED_ONLY =
  '--cache --cache-strategy content --cache-location node_modules/.cache/eslint/';

const npm = (/** @type {readonly string[]} */ ...words) => ['run', '--silent', ...words];

if (isStale()) {
  const { status } = spawnSync('npm', npm('build'), { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/**
 * Runs npm scripts, each with its arguments, one after the other until one fails. Returns whether
 * all passed, and their output.
 * @param {readonly (readonly string[])[]} scripts
 */
async function check(scripts) {
  let printed = '';
  for (const script of scripts) {
    const child = spawn('npm', npm(...script), { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (/** @type {Buffer} */ data) => (printed += data.toString()));
    if ((await ended(child)) !== 0)
      return { passed: false, printed: `${printed}${script[0]} failed\n` };
  }
  return { passed: true, printed };
}

/** @type {(child: import('node:child_process').ChildProcess) => Promise<number | null>} */
const ended = (child) => new Promise((resolve) => child.on('close', resolve));

const jest = spawn('npm', npm('jest', '--', ...args), { stdio: 'inherit' });
const [checks, code] = await Promise.all([
  check([
    ['typecheck'],
    isQuick ? ['lint', '--', ...CHANGED_ONLY.split(' ')] : ['lint'],
    ['rules:check'],
  ]),
  ended(jest),
]);
process.stderr.write(checks.printed);
process.exit(checks.passed ? (code ?? 1) : 1);
