// Measures what reading costs live play: `npm run bench:budgets [-- followers | exports]`.
// One server and one steady load of events; by turns nobody reads, and everybody does.
// Options: --log kafka|postgres --turns n --seconds n --profile folder
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newToken } from '#built/apps/api/src/identity/credentials/bearer-token';
import { clock, quantile, spread } from '../measure.mjs';
import { files, reached } from './bulk.mjs';
import { asked, cpuFrom, letGo, load, othersFrom, started } from './children.mjs';
import { connected, logNamed, startMachine, startServer } from './stack.mjs';

/** @typedef {import('./stack.mjs').Server} Server */
/** @typedef {{ roles: string[], tables: string[] }} Account */
/** @typedef {{ p50: number, p99: number, max: number, cpu: Record<string, number>, foreign: number }} Turn */

const PER_SECOND = 2_000;
const TABLES = 600;
/** Node and the broker compile hot code during the first seconds. */
const WARM_S = 12;
/** After readers come or go, a turn begins this much later. */
const SETTLE_S = 3;
/** Events that the rows hold before, for exports. */
const BEFORE = 200_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    log: { type: 'string', default: 'kafka' },
    turns: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '12' },
    profile: { type: 'string' },
  },
});
const turns = Number(values.turns);
const seconds = Number(values.seconds);
const log = logNamed(values.log);
/** @type {import('./stack.mjs').Flags} */
const flags = (app) =>
  values.profile === undefined
    ? []
    : [
        '--cpu-prof',
        `--cpu-prof-dir=${values.profile}`,
        `--cpu-prof-name=${app}-budgets.cpuprofile`,
      ];

/**
 * Inserts accounts with a session each, and returns their tokens. Hashing a password for each would
 * take minutes.
 * @param {string} databaseUrl
 * @param {readonly Account[]} accounts
 */
async function sessions(databaseUrl, accounts) {
  const client = await connected(databaseUrl);
  const tokens = [];
  for (const [n, { roles, tables }] of accounts.entries()) {
    const { id, text, hash } = newToken('sps');
    await client.query(
      `insert into access.account (name, password_hash, roles, tables, created_by) values ($1, '-', $2, $3, 'system/bench')`,
      [`bench-${n}`, roles, tables],
    );
    await client.query(
      `insert into access.session (id, account_name, token_hash, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
      [id, `bench-${n}`, hash],
    );
    tokens.push(text);
  }
  await client.end();
  return tokens;
}

/** A screen for each table, the rest of three tables each, twenty of all. */
const followers = () =>
  Array.from({ length: 1_000 }, (_, n) => ({
    roles: ['pit-boss'],
    tables:
      n < TABLES ? [`L${n}`] : n < 980 ? [0, 1, 2].map((i) => `L${(n * 3 + i) % TABLES}`) : ['*'],
  }));

/** Ten people who export, and one who waits in two hundred requests. */
const exporters = () =>
  Array.from({ length: 11 }, () => ({ roles: ['compliance'], tables: ['*'] }));

/** @type {(pid: number | undefined, field: 'VmRSS' | 'VmHWM') => number} */
const megabytes = (pid, field) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) /
  1024;

/**
 * Loads events of other tables and waits until the rows have them.
 * @param {Server} server
 */
async function fill(server) {
  const dir = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
  const data = await files(dir, BEFORE, true);
  const sender = await started('bulk-sender', {
    port: server.port,
    token: server.token,
    files: data.files,
  });
  const { heads } = await asked(sender);
  await reached(server.databaseUrl, heads);
  letGo(sender);
  rmSync(dir, { recursive: true, force: true });
}

/**
 * Runs one part: a load that lasts for all turns, and readers who come and go.
 * @param {import('./stack.mjs').Machine} machine
 * @param {'followers' | 'exports'} part
 */
async function measured(machine, part) {
  const server = await startServer(machine, log, flags);
  try {
    if (part === 'exports') await fill(server);
    const accounts = part === 'followers' ? followers() : exporters();
    const tokens = await sessions(server.databaseUrl, accounts);
    const readers = await started(part, { port: server.port, tokens });
    const length = WARM_S + turns * 2 * (seconds + SETTLE_S) + 5;
    const sender = await started('live-sender', {
      port: server.port,
      token: server.token,
      perSecond: PER_SECOND,
      seconds: length,
      tables: TABLES,
      connections: 256,
    });
    const sending = asked(sender);
    await pause(WARM_S * 1000);
    /** @type {{ with: boolean, from: number, to: number, rss: number, cpu: Record<string, number>, foreign: number, found: string }[]} */
    const windows = [];
    for (let turn = 0; turn < turns * 2; turn += 1) {
      const isWith = turn % 2 === 1;
      if (isWith) await asked(readers);
      await pause(SETTLE_S * 1000);
      const cpu = cpuFrom({
        ...server.pids,
        readers: readers.child.pid ?? NaN,
        sender: sender.child.pid ?? NaN,
      });
      const others = othersFrom();
      const from = clock();
      await pause(seconds * 1000);
      const to = clock();
      const used = cpu();
      const foreign = others(Object.values(used).reduce((sum, each) => sum + each, 0));
      const rss = megabytes(server.pids.api, 'VmRSS');
      const found = isWith ? (await asked(readers)).found : '';
      windows.push({ with: isWith, from, to, rss, cpu: used, foreign, found });
    }
    const { events, failed, failures } = await sending;
    letGo(sender);
    letGo(readers);
    if (failed > 0) console.log(`  ${failed} appends failed: ${failures.join(' | ')}`);
    const figures = windows.map((window) => {
      const sorted = Float64Array.from(
        events
          .filter(({ sent, next }) => next > 0 && sent >= window.from && sent < window.to)
          .map(({ sent, answered }) => answered - sent),
      ).sort();
      return {
        ...window,
        p50: quantile(sorted, 0.5),
        p99: quantile(sorted, 0.99),
        count: sorted.length,
      };
    });
    for (const each of figures)
      console.log(
        `  ${each.with ? 'with   ' : 'without'} | ${Math.round(each.count / seconds)}/s | append p50 ${each.p50.toFixed(2)} p99 ${each.p99.toFixed(1)} ms | api ${each.rss.toFixed(0)} MB | ${Object.entries(
          each.cpu,
        )
          .map(([name, ms]) => `${name} ${(ms / seconds / 10).toFixed(0)} %`)
          .join(
            ', ',
          )} | others ${each.foreign} % of the machine${each.found && ` | ${each.found}`}`,
      );
    const ratios = (/** @type {'p50' | 'p99'} */ name) => {
      const { min, median, max } = spread(
        figures
          .filter((each) => each.with)
          .map((each, i) => each[name] / (figures[i * 2]?.[name] ?? NaN)),
      );
      return `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;
    };
    console.log(
      `${part} | ${log} | p50 with/without ${ratios('p50')} | p99 ${ratios('p99')} | api at most ${megabytes(server.pids.api, 'VmHWM').toFixed(0)} MB | load ${load()}`,
    );
  } finally {
    await server.stop();
  }
}

const machine = await startMachine({ kafka: log === 'kafka' });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void machine.stop().finally(() => process.exit(1)));
try {
  for (const part of /** @type {const} */ (['followers', 'exports']))
    if (positionals.length === 0 || positionals.includes(part)) await measured(machine, part);
} finally {
  await machine.stop();
}
