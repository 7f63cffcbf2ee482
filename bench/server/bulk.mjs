// Measures a bulk load: from the first request until the rows reach the heads that the answers
// named.
import { createWriteStream, statSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { simulateTables } from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { asked, cpuFrom, letGo, load, othersFrom, spread, started } from './children.mjs';
import { connected, startServer } from './stack.mjs';

const FILES = 4;
const TABLES_A_FILE = 16;

/**
 * Writes files of events of several tables, mixed by time as they were dealt: at least `events` in
 * all, half of the tables with bets.
 */
export async function files(dir, events, bets) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const made = [];
  let count = 0;
  for (let f = 0; f < FILES; f += 1) {
    const tables = Array.from({ length: TABLES_A_FILE }, (_, t) => `${bets ? 'B' : 'C'}${f}-${t}`);
    const file = join(dir, `${bets ? 'bets' : 'cards'}-${f}.ndjson`);
    const out = createWriteStream(file);
    let piece = [];
    let own = 0;
    for (const line of simulateTables({ rules, tables, shoes: 12, seed: `bulk-${f}`, bets })
      .lines) {
      piece.push(line, '\n');
      own += 1;
      if (own * FILES >= events) break;
      if (piece.length < 4000) continue;
      if (!out.write(piece.join(''))) await once(out, 'drain');
      piece = [];
    }
    out.end(piece.join(''));
    await once(out, 'finish');
    count += own;
    made.push(file);
  }
  return {
    files: made,
    events: count,
    bytes: made.reduce((sum, file) => sum + statSync(file).size, 0),
  };
}

/** Runs one round on its own server. */
export async function bulkRound(machine, log, data, flags) {
  const server = await startServer(machine, log, flags);
  const { child: sender } = await started('bulk-sender.mjs', {
    port: server.port,
    token: server.token,
    files: data.files,
  });
  const { child: observer } = await started('observer.mjs', { databaseUrl: server.databaseUrl });
  const cpu = cpuFrom(server.pids);
  const others = othersFrom();
  const sent = await asked(sender, 'go');
  await reached(server.databaseUrl, sent.heads);
  const used = cpu();
  const foreign = others(sum(used) + sent.cpuMs);
  const { seen } = await asked(observer, 'tell');
  const until = lastReached(seen, sent.heads);
  letGo(observer);
  letGo(sender);
  await server.stop();
  const ms = until - sent.began;
  const perEvent = Object.fromEntries(
    Object.entries({ ...used, sender: sent.cpuMs }).map(([name, each]) => [
      name,
      (each * 1000) / data.events,
    ]),
  );
  return {
    perSecond: (data.events / ms) * 1000,
    takenPerSecond: (data.events / (sent.ended - sent.began)) * 1000,
    ms,
    again: sent.again,
    perEvent,
    load: `${load()}, others had ${foreign} % of the machine`,
  };
}

export const sum = (byProcess) => Object.values(byProcess).reduce((all, ms) => all + ms, 0);

export async function reached(databaseUrl, heads) {
  const client = await connected(databaseUrl);
  for (;;) {
    const { rows } = await client.query('select partition, next from rows.position');
    if (
      Object.entries(heads).every(
        ([partition, next]) =>
          Number(rows.find((row) => row.partition === Number(partition))?.next) >= next,
      )
    )
      break;
    await pause(50);
  }
  await client.end();
}

function lastReached(seen, heads) {
  const waiting = new Map(
    Object.entries(heads).map(([partition, next]) => [Number(partition), next]),
  );
  for (let i = 0; i < seen.length; i += 3) {
    if (seen[i + 2] >= (waiting.get(seen[i + 1]) ?? Infinity)) waiting.delete(seen[i + 1]);
    if (waiting.size === 0) return seen[i];
  }
  throw new Error('the observer did not see the rows at the heads');
}

/** Runs rounds by turns on the named logs, and prints a line for each. */
export async function bulk(machine, { logs, events, rounds, flags, until }) {
  const kinds = [];
  for (const bets of [true, false])
    kinds.push({
      bets,
      data: await files(machine.dir, events, bets),
      results: new Map(logs.map((log) => [log, []])),
    });
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
    for (const { bets, data, results } of kinds) {
      for (const log of logs) {
        const result = await bulkRound(machine, log, data, flags);
        results.get(log).push(result);
        console.log(
          `  bulk ${bets ? 'bets' : 'cards'} ${log}: ${Math.round(result.perSecond)} events/s visible, ${Math.round(result.takenPerSecond)} taken; ${costs(result.perEvent)}; sent again ${result.again}; load ${result.load}`,
        );
      }
    }
  }
  for (const { bets, data, results } of kinds) {
    for (const [log, each] of results) {
      const { min, median, max } = spread(each.map(({ perSecond }) => perSecond));
      console.log(
        `bulk | ${bets ? 'with bets' : 'cards alone'} | ${log} | ${data.events} events, ${(data.bytes / data.events).toFixed(0)} B each | ${each.length} rounds | ${Math.round(min)} - **${Math.round(median)}** - ${Math.round(max)} events/s`,
      );
    }
  }
}

export const costs = (perEvent) =>
  Object.entries(perEvent)
    .map(([name, us]) => `${name} ${us.toFixed(2)}`)
    .join(', ') + ' µs/event';
