// `npm run equal [-- --minutes 60]`: the properties of the verdict over 100,000 random tables each,
// or as many as the time allows: late messages, gaps, unread cards, corrections, repeated numbers.
// Prints how many tables each was tried on, and the counterexample of one that fails.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write(`--minutes must be a number above 0, not ${values.minutes}\n`);
  process.exit(2);
}

/** Two run at a time, and no file has more properties than this. */
const MOST_IN_A_FILE = 5;
const share = Math.ceil((minutes * 60_000) / MOST_IN_A_FILE);
const files = ['late', 'gaps', 'unread', 'corrections', 'admission'];
const { status } = spawnSync(
  'npm',
  [
    ...['run', '--silent', 'jest', '--', '--maxWorkers=2', `--testTimeout=${share + 600_000}`],
    ...files.map((name) => `test/audit/${name}.properties.spec.ts`),
  ],
  { stdio: 'inherit', env: { ...process.env, SHOEPRINT_EQUAL_MS: String(share) } },
);
process.exit(status ?? 1);
