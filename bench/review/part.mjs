// Measures one part of reviews, as a program that `run.mjs` starts and ends.
import { parseArgs } from 'node:util';
import { logNamed, startMachine } from '../server/stack.mjs';
import { commands } from './commands.mjs';
import { compare, desk, memory, rulings } from './fold.mjs';
import { reads } from './reads.mjs';
import { OPTIONS } from './options.mjs';
import { takeNext } from './take-next.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
const [part = '', dir = '', limitS = ''] = positionals;
const rounds = Number(values.rounds);
/** A part of the fold begins no round after most of its time. */
const until = performance.now() + Number(limitS) * 800;

/** @type {import('../server/stack.mjs').Flags} */
const flags = (app) =>
  values.profile === undefined
    ? []
    : [
        '--cpu-prof',
        `--cpu-prof-dir=${values.profile}`,
        `--cpu-prof-name=${app}-${part}.cpuprofile`,
      ];

/** @typedef {import('../server/stack.mjs').Machine} Machine */
/** @typedef {import('./floor.mjs').ReviewAsked} ReviewAsked */

/**
 * Measures what needs a server.
 * @param {(machine: Machine, asked: ReviewAsked) => Promise<void>} measure
 * @param {number} findings how many are reviewed unless the options say so
 */
async function served(measure, findings) {
  const log = logNamed(values.log);
  const machine = await startMachine({ kafka: log === 'kafka' });
  process.once('SIGTERM', () => void machine.stop().finally(() => process.exit(1)));
  try {
    await measure(machine, { log, flags, findings: Number(values.findings ?? findings) });
  } finally {
    await machine.stop();
  }
}

/** @type {Readonly<Record<string, () => Promise<void> | void>>} */
const PARTS = {
  commands: () => {
    const live = { rate: Number(values.rate), seconds: Number(values.seconds) };
    return served((machine, asked) => commands(machine, { ...asked, ...live }), 100);
  },
  'take-next': () => served(takeNext, 2_000),
  reads: () => served(reads, 100_000),
  compare: () => compare(dir, { revision: values.before, rounds, until }),
  rulings: () => rulings(rounds, until),
  desk: () => desk(rounds, until),
  memory: () => memory(dir),
};
await PARTS[part]?.();
process.exit();
