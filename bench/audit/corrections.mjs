// Measures what corrections cost: 400 coups without any, with 800 and with 1,600, each entered at
// random distance after its event; the same coups recorded at once as 800 corrections leave them;
// and one correction in a coup of 20,000 bets.
// The aims: with 800 at most three times the log without; 800 more at most as much again; one
// correction at most its coup. Each log is folded in this process, and read by `shoeprint audit` in
// a process of its own, as a user waits for it.
// `npm run bench:corrections`; a minute or two.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spread } from '../measure.mjs';
import { shoeprint } from './contestants.mjs';

const ROUNDS = 9;
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
const cli = fileURLToPath(new URL('../../apps/cli/bin/shoeprint.js', import.meta.url));
const CARDS = 'AS 2H 3D 4C 5S 6H 7D 8C 9S TH JD QC KS AH 2D 3C 4S 5H 6D 7C 8S 9H TD JC QS KH'.split(
  ' ',
);

/** @typedef {{ id: string, source: string, type: string, data: Record<string, unknown> }} Sent */
/** @typedef {{ event: Sent, at: number }} Placed */

/** @type {(line: string) => Sent} */
const parsed = (line) => /** @type {Sent} */ (JSON.parse(line));

/**
 * Returns the line of a correction.
 * @param {Sent} event
 * @param {string} id
 * @param {Record<string, unknown>} changed
 */
const correction = (event, id, changed) =>
  JSON.stringify({
    ...event,
    session: undefined,
    sequence: undefined,
    source: 'person/sam',
    id,
    type: 'shoeprint.observation-corrected.v1',
    data: {
      event: `${event.source}#${event.id}`,
      data: { ...event.data, ...changed },
      by: 'sam',
      reason: 'camera',
    },
  });

/**
 * Returns what to change of an event.
 * @param {Sent} event
 * @param {number} n
 */
function changeOf({ type, data }, n) {
  if (type.includes('card-drawn')) return { card: CARDS[(n * 17) % CARDS.length] };
  if (type.includes('bet-settled')) return { paid: Number(data.paid) + (n % 2) * 100 };
  return { amount: Number(data.amount) + 100 };
}

/**
 * Returns the lines of a log with so many corrections a coup of its cards, settlements and bets,
 * each up to sixty coups later, while its shoe is within reach.
 * @param {readonly string[]} lines
 * @param {number} perCoup
 */
function corrected(lines, perCoup) {
  /** @type {string[][]} */
  const after = lines.map(() => []);
  for (const [n, { events, end }] of coupsOf(lines).entries())
    for (let each = 0; each < perCoup && events.length > 0; each += 1) {
      const { event, at } = /** @type {Placed} */ (events[(each * 7 + n * 3) % events.length]);
      const entered = Math.min(end, at + 1 + ((n * 37 + each * 11) % 60) * 20);
      after[entered]?.push(correction(event, `c/${n}/${each}`, changeOf(event, n + each * 5)));
    }
  return lines.flatMap((line, i) => [line, ...(after[i] ?? [])]);
}

/**
 * Returns the lines of a log without its corrections, each event as the last of them has it: what
 * its findings cost without any correction.
 * @param {readonly string[]} lines
 */
function recordedRight(lines) {
  const events = lines.map(parsed);
  const right = new Map(
    events.flatMap(({ type, data }) =>
      type.includes('observation-corrected') ? [[data.event, data.data]] : [],
    ),
  );
  return events
    .filter(({ type }) => !type.includes('observation-corrected'))
    .map((event) => {
      const data = right.get(`${event.source}#${event.id}`) ?? event.data;
      return JSON.stringify({ ...event, data });
    });
}

/**
 * Returns what can be corrected of each coup, and where its shoe ends.
 * @param {readonly string[]} lines
 */
function coupsOf(lines) {
  /** @type {{ events: Placed[], end: number }[]} */
  const coups = [];
  for (const [at, line] of lines.entries()) {
    const event = parsed(line);
    if (event.type.includes('coup-opened')) {
      const end = lines.findIndex((each, i) => i > at && each.includes('.shoe-closed.'));
      coups.push({ events: [], end: end < 0 ? lines.length - 1 : end });
    } else if (/card-drawn|bet-settled|bet-placed/.test(event.type))
      coups.at(-1)?.events.push({ event, at });
  }
  return coups;
}

/**
 * @param {string} name
 * @param {readonly string[]} lines
 */
function written(name, lines) {
  const file = join(folder, `${name}.ndjson`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** @type {(bets: boolean) => string[]} */
function simulated(bets) {
  const out = join(folder, 'plain.ndjson');
  execFileSync(process.execPath, [
    cli,
    'simulate',
    ...['--shoes', '5', '--seed', 'bench', ...(bets ? ['--bets'] : []), '--out', out],
  ]);
  return readFileSync(out, 'utf8').trim().split('\n');
}

/** Returns a shoe of one coup with so many bets. @param {number} bets */
function largeCoup(bets) {
  let number = 0;
  /** @type {(type: string, data: object) => string} */
  const add = (type, data) => {
    number += 1;
    return JSON.stringify({
      specversion: '1.0',
      type: `shoeprint.${type}.v1`,
      source: 'device/T1',
      id: String(number),
      time: new Date(Date.UTC(2026, 10, 20) + 2000 * number).toISOString(),
      table: 'T1',
      shoe: 'S1',
      session: '1',
      sequence: number,
      data,
    });
  };
  const opened = { rules: 'punto-banco@1', decks: 8, kind: 'physical', currency: 'USD' };
  return [
    add('shoe-opened', { ...opened, reports: ['outcomes', 'bets', 'settlements'] }),
    add('coup-opened', { coup: 1 }),
    ...Array.from({ length: bets }, (_, i) =>
      add('bet-placed', { seat: 1 + (i % 9), bet: 'player', amount: 100 }),
    ),
    add('betting-closed', {}),
    ...[
      ['4S', 'player'],
      ['2H', 'banker'],
      ['5D', 'player'],
      ['5C', 'banker'],
    ].map(([card, to]) => add('card-drawn', { card, to })),
    add('outcome-declared', { outcome: 'player', by: 'dealer' }),
    add('coup-closed', {}),
    add('coup-opened', { coup: 2 }),
  ];
}

/** @type {(file: string) => number} */
function ms(file) {
  const { user } = process.cpuUsage();
  shoeprint(file);
  return (process.cpuUsage().user - user) / 1000;
}

/** @param {readonly number[]} times */
function shown(times) {
  const { median, min, max } = spread(times);
  return `${median.toFixed(0)} (${min.toFixed(0)}-${max.toFixed(0)})`;
}

/** How long a user waits for `shoeprint audit`. @type {(file: string) => number} */
function waitedMs(file) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [cli, 'audit', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0 && status !== 1) throw new Error(`shoeprint audit: ${stderr.toString()}`);
  return performance.now() - begun;
}

try {
  /** @type {[string, string[]][]} */
  const logs = [];
  for (const bets of [false, true]) {
    const plain = simulated(bets);
    const kind = bets ? 'with bets' : 'without bets';
    const half = corrected(plain, 2);
    const full = corrected(plain, 4);
    console.log(
      `${kind}: ${plain.length} events, ${half.length - plain.length} and ${full.length - plain.length} corrections`,
    );
    logs.push(
      [`${kind}, plain`, plain],
      [`${kind}, 800 at once`, recordedRight(half)],
      [`${kind}, 800`, half],
      [`${kind}, 1600`, full],
    );
  }
  const large = largeCoup(20_000);
  const bet = parsed(/** @type {string} */ (large[500]));
  const one = [...large, correction(bet, 'one', { amount: 200 })];
  logs.push(['20,000 bets, plain', large], ['20,000 bets, one', one]);
  const files = logs.map(([name, lines], i) => ({ name, file: written(String(i), lines) }));
  for (const { file } of files) ms(file); // warm up
  for (const [what, measure] of /** @type {const} */ ([
    ['in this process, ms of the processor', ms],
    ['shoeprint audit, ms', waitedMs],
  ])) {
    /** @type {number[][]} */
    const times = files.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [i, { file }] of files.entries()) times[i]?.push(measure(file));
    console.log(what);
    for (const [i, { name }] of files.entries())
      console.log(`  ${name.padEnd(26)} ${shown(times[i] ?? [])}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
