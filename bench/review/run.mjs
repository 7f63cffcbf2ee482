// Measures reviews: `npm run bench:review [-- part...]`.
// Parts: commands, take-next, reads, fold (or of it compare, rulings, desk, memory). Without a
// part, all run.
// Options: --log standalone|postgres|kafka --findings n (commands: how many are ruled on beside
//   nothing) --rate n --seconds n (live play) --rounds n --before revision (fold)
//   --profile folder (for .cpuprofile files)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { logNamed, startMachine } from '../server/stack.mjs';
import { commands } from './commands.mjs';
import { BEFORE, foldOf } from './fold.mjs';
import { reads } from './reads.mjs';
import { takeNext } from './take-next.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    log: { type: 'string', default: 'standalone' },
    findings: { type: 'string' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '9' },
    before: { type: 'string', default: BEFORE },
    profile: { type: 'string' },
  },
});
const log = logNamed(values.log);
const findings = (/** @type {number} */ otherwise) => Number(values.findings ?? otherwise);
/** @type {import('../server/stack.mjs').Flags} */
const flags = (app) =>
  values.profile === undefined
    ? []
    : [
        '--cpu-prof',
        `--cpu-prof-dir=${values.profile}`,
        `--cpu-prof-name=${app}-${positionals.join('-')}.cpuprofile`,
      ];
const wants = (/** @type {string} */ part) =>
  positionals.length === 0 || positionals.includes(part);

const PARTS_OF_FOLD = ['compare', 'rulings', 'desk', 'memory'];
const ofFold = PARTS_OF_FOLD.filter((part) => positionals.includes(part));
if (wants('fold') || ofFold.length > 0) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  foldOf(dir, {
    revision: values.before,
    rounds: Number(values.rounds),
    parts: wants('fold') ? PARTS_OF_FOLD : ofFold,
  });
}
const isServed = ['commands', 'take-next', 'reads'].some(wants);
const machine = isServed ? await startMachine({ kafka: log === 'kafka' }) : undefined;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void machine?.stop().finally(() => process.exit(1)));
try {
  if (!machine) process.exit();
  if (wants('commands'))
    await commands(machine, {
      ...{ log, flags, findings: findings(100) },
      ...{ rate: Number(values.rate), seconds: Number(values.seconds) },
    });
  if (wants('take-next')) await takeNext(machine, { log, flags, findings: findings(2_000) });
  if (wants('reads')) await reads(machine, { log, flags, findings: findings(100_000) });
} finally {
  await machine?.stop();
}
