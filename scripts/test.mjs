// `npm test`: builds, writes the types of the api, then runs jest, and types, lint and the pinned
// rule documents beside it. Jest waits for servers most of the time, so the checks take little
// longer than jest alone. Arguments go to jest.
import { spawn, spawnSync } from 'node:child_process';

const npm = (/** @type {readonly string[]} */ ...args) => ['run', '--silent', ...args];

if (spawnSync('npm', npm('prepare'), { stdio: 'inherit' }).status !== 0) process.exit(1);

/**
 * Runs npm scripts one after the other until one fails. Returns whether all passed, and their
 * output.
 * @param {readonly string[]} names
 */
async function check(names) {
  let printed = '';
  for (const name of names) {
    const child = spawn('npm', npm(name), { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (/** @type {Buffer} */ data) => (printed += data.toString()));
    if ((await ended(child)) !== 0) return { passed: false, printed: `${printed}${name} failed\n` };
  }
  return { passed: true, printed };
}

/** @type {(child: import('node:child_process').ChildProcess) => Promise<number | null>} */
const ended = (child) => new Promise((resolve) => child.on('close', resolve));

const jest = spawn('npm', npm('jest', '--', ...process.argv.slice(2)), { stdio: 'inherit' });
const [checks, code] = await Promise.all([
  check(['typecheck', 'lint', 'rules:check']),
  ended(jest),
]);
process.stderr.write(checks.printed);
process.exit(checks.passed ? (code ?? 1) : 1);
