// Measures the whole server: `npm run bench:server [-- part...]`.
// Parts: bulk, live, chain, rebuild. Without a part, all run.
// Options: --logs kafka,postgres,standalone --rounds n --events n --rates 200,2000,6000
//   --profile folder (for .cpuprofile files)
import { parseArgs } from 'node:util';
import { bulk } from './bulk.mjs';
import { chain } from './chain.mjs';
import { live } from './live.mjs';
import { rebuild } from './rebuild.mjs';
import { logNamed, startMachine } from './stack.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    logs: { type: 'string', default: 'kafka,postgres,standalone' },
    rounds: { type: 'string' },
    events: { type: 'string', default: '1000000' },
    rates: { type: 'string' },
    profile: { type: 'string' },
  },
});
const logs = values.logs.split(',').map(logNamed);
const rates = values.rates?.split(',').map(Number);
const rounds = (/** @type {number} */ otherwise) => Number(values.rounds ?? otherwise);
/** @type {import('./stack.mjs').Flags} */
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

/** The limit of each part in minutes. A started round is finished, and there is always one. */
const within = (/** @type {number} */ minutes) => performance.now() + minutes * 60_000;

const machine = await startMachine({ kafka: logs.includes('kafka') });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void machine.stop().finally(() => process.exit(1)));
try {
  if (wants('bulk'))
    await bulk(machine, {
      logs,
      events: Number(values.events),
      rounds: rounds(3),
      flags,
      until: within(2.5),
    });
  if (wants('live'))
    await live(machine, {
      logs,
      ...(rates && { rates }),
      rounds: rounds(1),
      flags,
      until: within(2),
    });
  if (wants('chain') && logs.includes('kafka'))
    await chain(machine, { events: 400_000, rounds: rounds(3), until: within(0.75) });
  if (wants('rebuild'))
    await rebuild(machine, {
      log: logs.includes('postgres') ? 'postgres' : 'kafka',
      events: 400_000,
      rounds: rounds(3),
      until: within(0.75),
    });
} finally {
  await machine.stop();
}
