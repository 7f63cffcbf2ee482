// Compares the fold of the auditor with the fast path and without it, by turns in one process: from
// the records of the log to the rows of a transaction, without the database. Prints processor time
// (user and system) an event. Fails if more than 3 % of lawful play under any rule document is
// stepped through again. `npm run bench:lanes [rounds]`; about two minutes.
import { loadavg } from 'node:os';
import { Decoder, houseFrom, simulate, stamped } from '#audit';
import { installedRules, rulesNamed } from '#rule-folder';
import { spread } from '../measure.mjs';

const ROUNDS = Number(process.argv[2] ?? 9);
const TABLES = 8;
const SHOES = 5;
/** Lines of a record of about 60 kB, and events of a transaction: of a bulk load, and in live play. */
const BULK = { record: 180, transaction: 5_000 };
const LIVE = { record: 1, transaction: 20 };
/** Bytes of states that are saved with a transaction, as the auditor saves them. */
const SAVINGS = 3 * 1024 * 1024;

const FOLD = '../../dist/apps/auditor/src/fold';
/** @type {typeof import('../../apps/auditor/src/fold/partition-fold.js')} */
const { PartitionFold } = await import(`${FOLD}/partition-fold.js`);
/** @type {typeof import('../../apps/auditor/src/fold/table-run.js')} */
const { judgingBy } = await import(`${FOLD}/table-run.js`);
const book = installedRules();
/** The most of lawful play that may be stepped through again. */
const AGAIN_MAX = 0.03;

/** @typedef {import('#event-log').StoredRecord} StoredRecord */
/** @typedef {import('#baccarat').Rules} Rules */
/** @typedef {import('#audit').LaneSetting} LaneSetting */

/**
 * Returns the records of one table, received a little after they were sent.
 * @param {string} table
 * @param {boolean} bets
 * @param {number} lines
 */
function recordsOf(table, bets, lines, rules = rulesNamed(book, 'punto-banco@1')) {
  const all = [...simulate({ rules, bets, seed: table, shoes: SHOES, table }).lines].map(
    (line, i) => {
      const [, time = ''] = /"time":"([^"]*)"/.exec(line) ?? [];
      return stamped(
        line,
        `device/${table}`,
        new Date(Date.parse(time) + 40 + (i % 50)).toISOString(),
      );
    },
  );
  const records = [];
  for (let at = 0; at < all.length; at += lines)
    records.push({ key: table, value: Buffer.from(all.slice(at, at + lines).join('\n')) });
  return records;
}

/**
 * Returns the records of all tables, by turns.
 * @type {(bets: boolean, lines: number, rules?: Rules) => StoredRecord[]}
 */
function logOf(bets, lines, rules) {
  const tables = Array.from({ length: TABLES }, (_, i) => recordsOf(`T${i}`, bets, lines, rules));
  /** @type {StoredRecord[]} */
  const log = [];
  for (let at = 0; tables.some((records) => at < records.length); at += 1)
    for (const records of tables)
      for (const record of records.slice(at, at + 1))
        log.push({ ...record, partition: 0, offset: log.length });
  return log;
}

/**
 * Folds a log and projects the rows of each transaction.
 * @param {readonly StoredRecord[]} log
 * @param {LaneSetting} lanes
 * @param {number} transaction
 */
function auditor(log, lanes, transaction) {
  const claimed = { partition: 0, generation: 1, next: 0, lastDigest: null };
  const fold = new PartitionFold(claimed, judgingBy(book, lanes));
  const decoder = new Decoder(houseFrom(book));
  const counted = { events: 0, rows: 0, lane: 0, again: 0 };
  const project = () => {
    const { move, rows, lanes: taken } = fold.project(dayOf, SAVINGS);
    counted.events += move.events;
    counted.rows += rows.coups.length;
    counted.lane += taken.lane;
    counted.again += taken.again;
    fold.wrote(move);
  };
  for (const record of log) {
    if (fold.take(record, decoder)) throw new Error('a table refused lawful play');
    if (fold.waiting.events >= transaction) project();
  }
  project();
  return counted;
}

/** @type {(time: string) => string} */
const dayOf = (time) => time.slice(0, 10);

/** @type {(log: readonly StoredRecord[], lanes: LaneSetting, transaction: number) => number} */
function microseconds(log, lanes, transaction) {
  const from = process.cpuUsage();
  const { events } = auditor(log, lanes, transaction);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / events;
}

/** @type {(values: readonly number[]) => string} */
const shown = (values) => {
  const { median, min, max } = spread(values);
  return `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;
};

/** @type {(name: string, bets: boolean, how: typeof BULK) => void} */
function compare(name, bets, { record, transaction }) {
  const log = logOf(bets, record);
  const [on, off] = [auditor(log, 'on', transaction), auditor(log, 'off', transaction)];
  if (on.events !== off.events || on.rows !== off.rows)
    throw new Error(`the two disagree: ${JSON.stringify([on, off])}`);
  /** @type {{ on: number[], off: number[], ratios: number[] }} */
  const figures = { on: [], off: [], ratios: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? microseconds(log, 'off', transaction) : undefined;
    const fast = microseconds(log, 'on', transaction);
    const slow = first ?? microseconds(log, 'off', transaction);
    figures.on.push(fast);
    figures.off.push(slow);
    figures.ratios.push(slow / fast);
  }
  const share = ((on.lane / on.events) * 100).toFixed(1);
  const again = ((on.again / on.events) * 100).toFixed(1);
  console.log(
    `${name}: ${on.events} events, ${share} % by the lane, ${again} % again; µs an event with it ${shown(figures.on)}, without ${shown(figures.off)}, ratio ${shown(figures.ratios)}; load ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** Prints how lawful play under a rule document is folded. @param {Rules} rules */
function explained(rules) {
  const { events, lane, again } = auditor(logOf(true, BULK.record, rules), 'on', BULK.transaction);
  const percent = (/** @type {number} */ part) => ((part / events) * 100).toFixed(1);
  console.log(
    `${rules.ref}: ${events} events, ${percent(lane)} % by the lane, ${percent(again)} % again`,
  );
  if (again / events > AGAIN_MAX)
    throw new Error(`${rules.ref}: too much of lawful play is stepped through again`);
}

for (const rules of book.values()) explained(rules);
compare('bulk, cards', false, BULK);
compare('bulk, with bets', true, BULK);
compare('live, with bets', true, LIVE);
