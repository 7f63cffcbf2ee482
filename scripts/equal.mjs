// `npm run equal [-- --minutes 120]`: the properties of the verdict over 100,000 random tables
// each, or as many as the time allows: late messages, gaps, outages, unread cards, corrections,
// repeated numbers, lines beside events. Two processors need about two hours for all of them.
// Prints how many tables each was tried on, what each cost, and the counterexample of one that
// fails. `npm run equal -- lanes gaps` tries the properties of these files only.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '120' } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stderr.write(`--minutes must be a number above 0, not ${values.minutes}\n`);
  process.exit(2);
}

/** How many properties each file has. Each processor runs a file at a time. */
const ALL = { outages: 7, unread: 5, admission: 3, lanes: 3, gaps: 2, corrections: 1, late: 1 };
const unknown = positionals.filter((name) => !Object.hasOwn(ALL, name));
if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')} must be among ${Object.keys(ALL).join(', ')}\n`);
  process.exit(2);
}
const FILES = Object.fromEntries(
  Object.entries(ALL).filter(([name]) => positionals.length === 0 || positionals.includes(name)),
);
/** The most properties that one processor can have to run, in whatever order Jest takes files. */
const counts = Object.values(FILES);
const workers = Math.min(counts.length, availableParallelism());
const [all, largest] = [counts.reduce((sum, count) => sum + count, 0), Math.max(...counts)];
const most = (all + (workers - 1) * largest) / workers;
const share = Math.floor((minutes * 60_000) / most);
const { status } = spawnSync(
  'npm',
  [
    ...[
      'run',
      '--silent',
      'jest',
      '--',
      `--maxWorkers=${workers}`,
      `--testTimeout=${all * share + 600_000}`,
    ],
    ...Object.keys(FILES).map((name) => `test/audit/${name}.properties.spec.ts`),
  ],
  { stdio: 'inherit', env: { ...process.env, SHOEPRINT_EQUAL_MS: String(share) } },
);
process.exit(status ?? 1);
