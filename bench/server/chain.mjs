// Compares the auditor with the chain as it is often written, on the same topic, by turns.
import { clock, spread } from '../measure.mjs';
import { costs, files, reached } from './bulk.mjs';
import { asked, cpuFrom, letGo, load, ran, started } from './children.mjs';
import { run, startServer } from './stack.mjs';

/** @typedef {import('./stack.mjs').Machine} Machine */
/** @typedef {import('./stack.mjs').Server} Server */
/** @typedef {Awaited<ReturnType<typeof filled>>} Filled */

const NAIVE_MS = 8_000;

/**
 * Fills a log through the api. Leaves the server running.
 * @param {Machine} machine
 * @param {import('./stack.mjs').LogName} log
 * @param {number} events
 */
export async function filled(machine, log, events) {
  const data = await files(machine.dir, events, true);
  const server = await startServer(machine, log);
  const sender = await started('bulk-sender', {
    port: server.port,
    token: server.token,
    files: data.files,
  });
  const { heads } = await asked(sender);
  letGo(sender);
  await reached(server.databaseUrl, heads);
  return { data, server, heads };
}

/** @type {(machine: Machine, server: Server) => Promise<number>} */
async function naive(machine, server) {
  const databaseUrl = await machine.database();
  const { events, ms } = await ran('naive', {
    databaseUrl,
    brokers: machine.brokers,
    topic: server.env.KAFKA_TOPIC ?? '',
    ms: NAIVE_MS,
  });
  await machine.drop(databaseUrl);
  return (events / ms) * 1000;
}

/**
 * Starts an auditor at the log's beginning, without rows. Returns events per second from the moment
 * that it follows until its rows reach the heads.
 * @param {Machine} machine
 * @param {Filled} filled
 */
async function projector(machine, { server, data, heads }) {
  const databaseUrl = await machine.database();
  const auditor = run('auditor', { ...server.env, DATABASE_URL: databaseUrl });
  await auditor.said((line) => (line.includes('"following"') ? true : undefined));
  const began = clock();
  const cpu = cpuFrom({ ...machine.pids, auditor: auditor.pid });
  await reached(databaseUrl, heads);
  const ms = clock() - began;
  const used = cpu();
  await auditor.end();
  await machine.drop(databaseUrl);
  return { perSecond: (data.events / ms) * 1000, used };
}

/**
 * Compares the two by turns.
 * @param {Machine} machine
 * @param {{ events: number, rounds: number, until: number }} asked
 */
export async function chain(machine, { events, rounds, until }) {
  const full = await filled(machine, 'kafka', events);
  const ratios = [];
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
    const slow = await naive(machine, full.server);
    const { perSecond, used } = await projector(machine, full);
    ratios.push(perSecond / slow);
    console.log(
      `  chain: auditor ${Math.round(perSecond)} events/s (${costs(used, events)}), naive ${Math.round(slow)}, ratio ${(perSecond / slow).toFixed(0)}, load ${load()}`,
    );
  }
  await full.server.stop();
  const { min, median, max } = spread(ratios);
  console.log(
    `chain | auditor to naive | ${min.toFixed(0)} - **${median.toFixed(0)}** - ${max.toFixed(0)}`,
  );
}
