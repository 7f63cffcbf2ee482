// Compares the auditor with the chain as it is often written, on the same topic, by turns.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { asked, clock, cpuFrom, heard, load, letGo, spread, started } from './children.mjs';
import { files, reached } from './bulk.mjs';
import { run, startServer } from './stack.mjs';

const NAIVE_MS = 8_000;

/** Fills a log through the api. Leaves the server running. */
export async function filled(machine, log, events) {
  const data = await files(machine.dir, events, true);
  const server = await startServer(machine, log);
  const { child: sender } = await started('bulk-sender.mjs', {
    port: server.port,
    token: server.token,
    files: data.files,
  });
  const { heads } = await asked(sender, 'go');
  letGo(sender);
  await reached(server.databaseUrl, heads);
  return { data, server, heads };
}

async function naive(machine, server) {
  const databaseUrl = await machine.database();
  const child = fork(fileURLToPath(new URL('naive.mjs', import.meta.url)));
  child.send({
    databaseUrl,
    brokers: machine.brokers,
    topic: server.env.KAFKA_TOPIC,
    ms: NAIVE_MS,
  });
  const { events, ms } = await heard(child);
  await machine.drop(databaseUrl);
  return (events / ms) * 1000;
}

/**
 * Starts an auditor at the log's beginning, without rows. Returns events per second from the moment
 * that it follows until its rows reach the heads.
 */
async function projector(machine, server, { data, heads }) {
  const databaseUrl = await machine.database();
  const auditor = run('auditor', { ...server.env, DATABASE_URL: databaseUrl });
  await auditor.said((line) => (line.includes('"following"') ? true : undefined));
  const began = clock();
  const cpu = cpuFrom({ auditor: auditor.child.pid, postgres: machine.pids.postgres });
  await reached(databaseUrl, heads);
  const ms = clock() - began;
  const used = cpu();
  await auditor.end();
  await machine.drop(databaseUrl);
  return { perSecond: (data.events / ms) * 1000, used };
}

export async function chain(machine, { events, rounds, until }) {
  const full = await filled(machine, 'kafka', events);
  const ratios = [];
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
    const slow = await naive(machine, full.server);
    const { perSecond, used } = await projector(machine, full.server, full);
    ratios.push(perSecond / slow);
    console.log(
      `  chain: auditor ${Math.round(perSecond)} events/s (${Object.entries(used)
        .map(([name, ms]) => `${name} ${((ms * 1000) / events).toFixed(1)} µs/event`)
        .join(
          ', ',
        )}), naive ${Math.round(slow)}, ratio ${(perSecond / slow).toFixed(0)}, load ${load()}`,
    );
  }
  await full.server.stop();
  const { min, median, max } = spread(ratios);
  console.log(
    `chain | auditor to naive | ${min.toFixed(0)} - **${median.toFixed(0)}** - ${max.toFixed(0)}`,
  );
}
