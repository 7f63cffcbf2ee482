// Measures a bulk load: from the first request until the rows reach the heads that the answers
// named.
import { createWriteStream, statSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { simulateTables } from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { spread } from '../measure.mjs';
import { asked, cpuFrom, letGo, load, othersFrom, started } from './children.mjs';
import { connected, startServer } from './stack.mjs';

/** @typedef {import('./stack.mjs').Machine} Machine */
/** @typedef {{ files: string[], events: number, bytes: number }} Data */
/** @typedef {Readonly<Record<string, number>>} ByProcess */

const FILES = 4;
const TABLES_A_FILE = 16;

/**
 * Writes files of events of several tables, mixed by time as they were dealt: at least `events` in
 * all.
 * @param {string} dir
 * @param {number} events
 * @param {boolean} bets
 * @returns {Promise<Data>}
 */
export async function files(dir, events, bets) {
  const rules = rulesNamed(installedRules(), 'punto-banco@1');
  const made = [];
  let count = 0;
  for (let f = 0; f < FILES; f += 1) {
    const tables = Array.from({ length: TABLES_A_FILE }, (_, t) => `${bets ? 'B' : 'C'}${f}-${t}`);
    const file = join(dir, `${bets ? 'bets' : 'cards'}-${f}.ndjson`);
    const out = createWriteStream(file);
    /** @type {string[]} */
    let piece = [];
    let own = 0;
    const { lines } = simulateTables({ rules, tables, shoes: 12, seed: `bulk-${f}`, bets });
    for (const line of lines) {
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

/** @typedef {import('./stack.mjs').Server} Server */
/**
 * Starts a program beside a server. Returns how to end it.
 * @typedef {(server: Server) => Promise<{ pid: number, end: () => Promise<void> }>} Beside
 */

/**
 * Runs one round on its own server. `beside`: programs that run beside it, by name.
 * @param {Machine} machine
 * @param {import('./stack.mjs').LogName} log
 * @param {Data} data
 * @param {{ flags?: import('./stack.mjs').Flags, beside?: Readonly<Record<string, Beside>> }} [how]
 */
export async function bulkRound(machine, log, data, { flags, beside = {} } = {}) {
  const server = await startServer(machine, log, flags);
  /** @type {Record<string, number>} */
  const pids = { ...server.pids };
  /** @type {(() => Promise<void>)[]} */
  const ends = [];
  for (const [name, start] of Object.entries(beside)) {
    const { pid, end } = await start(server);
    pids[name] = pid;
    ends.push(end);
  }
  const sender = await started('bulk-sender', {
    port: server.port,
    token: server.token,
    files: data.files,
  });
  const observer = await started('observer', { databaseUrl: server.databaseUrl });
  const cpu = cpuFrom(pids);
  const others = othersFrom();
  const sent = await asked(sender);
  await reached(server.databaseUrl, sent.heads);
  const used = { ...cpu(), sender: sent.cpuMs };
  const foreign = others(sum(used));
  const { seen } = await asked(observer);
  const until = lastReached(seen, sent.heads);
  letGo(observer);
  letGo(sender);
  for (const end of ends) await end();
  await server.stop();
  const ms = until - sent.began;
  return {
    perSecond: (data.events / ms) * 1000,
    takenPerSecond: (data.events / (sent.ended - sent.began)) * 1000,
    used,
    line: `${Math.round((data.events / ms) * 1000)} events/s visible, ${Math.round((data.events / (sent.ended - sent.began)) * 1000)} taken; ${costs(used, data.events)}; sent again ${sent.again}; load ${load()}, others had ${foreign} % of the machine`,
  };
}

/** @type {(byProcess: ByProcess) => number} */
export const sum = (byProcess) => Object.values(byProcess).reduce((all, ms) => all + ms, 0);

/**
 * Resolves once the rows have reached the heads.
 * @param {string} databaseUrl
 * @param {ReadonlyMap<number, number>} heads
 */
export async function reached(databaseUrl, heads) {
  const client = await connected(databaseUrl);
  for (;;) {
    /** @type {import('pg').QueryResult<{ partition: number, next: string }>} */
    const { rows } = await client.query('select partition, next from rows.position');
    const at = new Map(rows.map(({ partition, next }) => [partition, Number(next)]));
    if ([...heads].every(([partition, next]) => (at.get(partition) ?? 0) >= next)) break;
    await pause(50);
  }
  await client.end();
}

/** @type {(seen: Float64Array, heads: ReadonlyMap<number, number>) => number} */
function lastReached(seen, heads) {
  const waiting = new Map(heads);
  for (let i = 0; i < seen.length; i += 3) {
    const [at = NaN, partition = NaN, next = NaN] = seen.subarray(i, i + 3);
    if (next >= (waiting.get(partition) ?? Infinity)) waiting.delete(partition);
    if (waiting.size === 0) return at;
  }
  throw new Error('the observer did not see the rows at the heads');
}

/**
 * Runs rounds in turn on the named logs, and prints a line for each.
 * @param {Machine} machine
 * @param {import('./stack.mjs').Asked & { events: number }} asked
 */
export async function bulk(machine, { logs, events, rounds, flags, until }) {
  const kinds = [];
  for (const bets of [true, false])
    kinds.push({
      bets,
      data: await files(machine.dir, events, bets),
      results: new Map(logs.map((log) => [log, /** @type {number[]} */ ([])])),
    });
  for (let round = 0; round < rounds && (round === 0 || performance.now() < until); round += 1) {
    for (const { bets, data, results } of kinds) {
      for (const log of logs) {
        const result = await bulkRound(machine, log, data, { flags });
        results.get(log)?.push(result.perSecond);
        console.log(`  bulk ${bets ? 'bets' : 'cards'} ${log}: ${result.line}`);
      }
    }
  }
  for (const { bets, data, results } of kinds) {
    for (const [log, each] of results) {
      const { min, median, max } = spread(each);
      console.log(
        `bulk | ${bets ? 'with bets' : 'cards alone'} | ${log} | ${data.events} events, ${(data.bytes / data.events).toFixed(0)} B each | ${each.length} rounds | ${Math.round(min)} - **${Math.round(median)}** - ${Math.round(max)} events/s`,
      );
    }
  }
}

/**
 * Returns the processor time of an event by process, in words.
 * @param {ByProcess} used in ms
 * @param {number} events
 */
export const costs = (used, events) =>
  Object.entries(used)
    .map(([name, ms]) => `${name} ${((ms * 1000) / events).toFixed(2)}`)
    .join(', ') + ' µs/event';
