// Measures what reading costs live play:
// `npm run bench:budgets [-- followers | exports | sign-ins | slices]`.
// One server and one steady load of events; by turns nobody reads, and everybody does.
// Options: --log kafka|postgres --turns n --seconds n --rate n --profile folder
// --node flag: a flag of Node for the api, such as --node=--max-semi-space-size=4, may be repeated.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clock, quantile, spread } from '../measure.mjs';
import { files, reached } from './bulk.mjs';
import { asked, cpuFrom, letGo, load, megabytes, othersFrom, ran, started } from './children.mjs';
import { nameOf, PASSWORD, sessions } from './sessions.mjs';
import { logNamed, startMachine, startServer } from './stack.mjs';

/** @typedef {import('./stack.mjs').Server} Server */
/** @import { Account } from './sessions.mjs' */

const TABLES = 600;
/** Node and the broker compile hot code during the first seconds. */
const WARM_S = 12;
/** After readers come or go, a turn begins this much later. */
const SETTLE_S = 3;
/** Events that the rows hold before, for exports. */
const BEFORE = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    log: { type: 'string', default: 'kafka' },
    turns: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '12' },
    rate: { type: 'string', default: '2000' },
    profile: { type: 'string' },
    node: { type: 'string', multiple: true, default: [] },
  },
});
const turns = Number(values.turns);
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);
const log = logNamed(values.log);
/** @type {import('./stack.mjs').Flags} */
const flags = (app) => [
  ...(app === 'api' ? values.node : []),
  ...(values.profile === undefined
    ? []
    : [
        '--cpu-prof',
        `--cpu-prof-dir=${values.profile}`,
        `--cpu-prof-name=${app}-budgets.cpuprofile`,
      ]),
];

/** A screen for each table, the rest of three tables each, twenty of all. */
const followers = () =>
  Array.from({ length: 1_000 }, (_, n) => ({
    roles: ['pit-boss'],
    tables:
      n < TABLES ? [`L${n}`] : n < 980 ? [0, 1, 2].map((i) => `L${(n * 3 + i) % TABLES}`) : ['*'],
  }));

/** @type {(count: number) => Account[]} */
const compliance = (count) =>
  Array.from({ length: count }, () => ({ roles: ['compliance'], tables: ['*'] }));

/** Ten people who export and one who waits in two hundred requests, and forty who sign in. */
const ACCOUNTS = {
  followers,
  exports: () => compliance(11),
  'sign-ins': () => compliance(40),
};
/** @typedef {keyof typeof ACCOUNTS} Part */
/** How much later than planned a turn may end, because so many readers come slowly. */
const LATE_S = { followers: 20, exports: 2, 'sign-ins': 2 };

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

/** What a turn lasted, and what it used. @typedef {{ isWith: boolean, from: number, to: number, rss: number, cpu: Record<string, number>, foreign: number, found: string }} Turn */
/** @typedef {import('./children.mjs').Program<'live-sender'>} Sender */
/** @typedef {import('./children.mjs').Program<Part>} Readers */

/**
 * Lets the readers come or go, waits, and measures.
 * @param {Server} server
 * @param {Sender} sender
 * @param {Readers} readers
 * @param {boolean} isWith
 * @returns {Promise<Turn>}
 */
async function turn(server, sender, readers, isWith) {
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
  return { isWith, from, to, rss, cpu: used, foreign, found };
}

/**
 * Runs one part: a load that lasts for all turns, and readers who come and go.
 * @param {Server} server
 * @param {Part} part
 */
async function measured(server, part) {
  if (part === 'exports') await fill(server);
  const accounts = ACCOUNTS[part]();
  const tokens = await sessions(server.databaseUrl, accounts);
  const names = accounts.map((_, n) => nameOf(n));
  const readers = await started(part, { port: server.port, tokens, names, password: PASSWORD });
  const sender = await started('live-sender', {
    port: server.port,
    token: server.token,
    perSecond,
    seconds: WARM_S + turns * 2 * (seconds + SETTLE_S + LATE_S[part]),
    tables: TABLES,
    connections: 256,
  });
  const sending = asked(sender);
  await pause(WARM_S * 1000);
  /** @type {Turn[]} */
  const done = [];
  for (let n = 0; n < turns * 2; n += 1)
    done.push(await turn(server, sender, readers, n % 2 === 1));
  const highest = megabytes(server.pids.api, 'VmHWM');
  const sent = await sending;
  letGo(sender);
  letGo(readers);
  report(part, done, sent, highest);
}

/** @type {(part: string, turns: readonly Turn[], sent: import('./live-sender.mjs').LiveSent, highest: number) => void} */
function report(part, all, { events, failed, failures }, highest) {
  const loadEnd = events.at(-1)?.due ?? 0;
  const pairs = all.filter(({ to, isWith }) => isWith && to < loadEnd).length;
  const turns = all.slice(0, pairs * 2);
  if (turns.length < all.length)
    console.log(`  left out: ${all.length - turns.length} turns that the load did not last for`);
  if (failed > 0)
    console.log(
      `  ${failed} appends failed: ${failures.map((each) => each.slice(0, 3)).join(', ')}`,
    );
  const figures = turns.map((each) => {
    const sorted = Float64Array.from(
      events
        .filter(({ sent, next }) => next > 0 && sent >= each.from && sent < each.to)
        .map(({ sent, answered }) => answered - sent),
    ).sort();
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), count: sorted.length };
  });
  for (const [n, { isWith, rss, cpu, foreign, found }] of turns.entries()) {
    const { p50, p99, count } = /** @type {typeof figures[number]} */ (figures[n]);
    const used = Object.entries(cpu).map(
      ([name, ms]) => `${name} ${(ms / seconds / 10).toFixed(0)} %`,
    );
    console.log(
      `  ${isWith ? 'with' : 'without'} | ${Math.round(count / seconds)}/s | append p50 ${p50.toFixed(2)} p99 ${p99.toFixed(1)} ms | api ${rss.toFixed(0)} MB | ${used.join(', ')} | others ${foreign} % of the machine${found && ` | ${found}`}`,
    );
  }
  /** @type {(name: 'p50' | 'p99') => string} */
  const ratios = (name) => {
    const all = figures.flatMap((each, n) =>
      n % 2 === 1 ? each[name] / (figures[n - 1]?.[name] ?? NaN) : [],
    );
    const { min, median, max } = spread(all);
    return `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;
  };
  console.log(
    `${part} | ${log} | ${perSecond}/s | p50 with/without ${ratios('p50')} | p99 ${ratios('p99')} | api at most ${highest.toFixed(0)} MB | load ${load()}`,
  );
}

const machine = await startMachine({ kafka: log === 'kafka' });
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void machine.stop().finally(() => process.exit(1)));
try {
  for (const part of /** @type {const} */ (['followers', 'exports', 'sign-ins']))
    if (positionals.length === 0 || positionals.includes(part)) {
      const server = await startServer(machine, log, flags);
      await measured(server, part).finally(() => server.stop());
    }
  if (positionals.length === 0 || positionals.includes('slices')) {
    const server = await startServer(machine, log, flags);
    await fill(server);
    const { found } = await ran('slices', { databaseUrl: server.databaseUrl });
    console.log(`slices of a file, read beside nothing\n  ${found}`);
    await server.stop();
  }
} finally {
  await machine.stop();
}
