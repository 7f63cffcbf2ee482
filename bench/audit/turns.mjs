// Compares this checkout with another, such as the commit before, by turns in one process:
// decoding, the whole path of `audit` from lines, and the auditor from the records of the log to
// the rows of a transaction, without the database. Prints processor time (user and system) an
// event, and the ratio of each round.
// Build both, then: node bench/audit/turns.mjs OTHER_CHECKOUT [rounds] [decode|audit|auditor]
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { spread } from '../measure.mjs';

const [other, rounds = '9', only] = process.argv.slice(2);
if (other === undefined) throw new Error('name the built checkout to compare with');
const SHOES = 40;
const TABLES = 8;
const LINES_A_RECORD = 180;
/** Events of a transaction, and bytes of states that are saved with it, as in a bulk load. */
const TRANSACTION = 5_000;
const SAVINGS = 3 * 1024 * 1024;
const PIECE = 1 << 16;

/**
 * One checkout, as it was built.
 * @typedef {{
 *   audit: typeof import('#audit'),
 *   rules: typeof import('#rule-folder'),
 *   run: typeof import('../../apps/auditor/src/fold/table-run.js'),
 *   partition: typeof import('../../apps/auditor/src/fold/partition-fold.js'),
 * }} Build
 */

/** @type {(checkout: string) => Promise<Build>} */
async function build(checkout) {
  /** @type {(file: string) => Promise<any>} */
  const of = (file) => import(pathToFileURL(resolve(checkout, `dist/${file}.js`)).href);
  return {
    audit: await of('libs/audit/src/index'),
    rules: await of('libs/rule-folder/src/index'),
    run: await of('apps/auditor/src/fold/table-run'),
    partition: await of('apps/auditor/src/fold/partition-fold'),
  };
}

const before = await build(other);
const after = await build('.');

/** @type {(table: string, bets: boolean, shoes: number) => string[]} */
const play = (table, bets, shoes) => {
  const rules = after.rules.rulesNamed(after.rules.installedRules(), 'punto-banco@1');
  return [...after.audit.simulate({ rules, bets, seed: table, shoes, table }).lines];
};

/**
 * Returns lines as blocks of a file.
 * @type {(lines: readonly string[]) => Buffer[]}
 */
function blocks(lines) {
  const made = [];
  for (let at = 0; at < lines.length;) {
    let bytes = 0;
    const from = at;
    while (at < lines.length && bytes < PIECE) bytes += (lines[at++] ?? '').length + 1;
    made.push(Buffer.from(lines.slice(from, at).join('\n') + '\n'));
  }
  return made;
}

/**
 * Returns what the auditor reads: records of stamped lines, received a little after they were sent.
 * @type {(table: string, lines: readonly string[]) => import('#event-log').StoredRecord[]}
 */
function records(table, lines) {
  const stamped = lines.map((line, i) => {
    const [, time = ''] = /"time":"([^"]*)"/.exec(line) ?? [];
    const received = new Date(Date.parse(time) + 40 + (i % 50)).toISOString();
    return after.audit.stamped(line, `device/${table}`, received);
  });
  const made = [];
  for (let at = 0; at < stamped.length; at += LINES_A_RECORD)
    made.push({
      key: table,
      partition: 0,
      offset: made.length,
      value: Buffer.from(stamped.slice(at, at + LINES_A_RECORD).join('\n')),
    });
  return made;
}

/**
 * Returns the records of all tables as one log, a record of each table in turn.
 * @param {readonly (readonly import('#event-log').StoredRecord[])[]} tables
 */
function inTurn(tables) {
  const log = [];
  for (let at = 0; tables.some((records) => at < records.length); at += 1)
    for (const records of tables)
      for (const record of records.slice(at, at + 1)) log.push({ ...record, offset: log.length });
  return log;
}

/** @typedef {(build: Build) => number} Part runs once and returns the number of events */

/**
 * Calls `take` with each line of some blocks.
 * @param {readonly Buffer[]} files
 * @param {Build} build
 * @param {(block: import('#audit').Block, from: number, to: number) => void} take
 */
function eachLine(files, { audit }, take) {
  for (const bytes of files) {
    const block = audit.blockOf(bytes, bytes.toString('latin1'));
    for (let from = 0, to = bytes.indexOf(10); to >= 0; from = to + 1, to = bytes.indexOf(10, from))
      take(block, from, to);
  }
}

/** @type {(files: readonly Buffer[]) => Part} */
const decodingOf = (files) => (build) => {
  const { audit, rules } = build;
  const decoder = new audit.Decoder(audit.houseFrom(rules.installedRules()));
  let events = 0;
  eachLine(files, build, (block, from, to) => {
    if (!decoder.decode(block, from, to).event) throw new Error('a line is malformed');
    events += 1;
  });
  return events;
};

/** Folds lines where the build takes them, or else events. @type {(files: readonly Buffer[]) => Part} */
const auditOf = (files) => (build) => {
  const { audit, rules } = build;
  const book = rules.installedRules();
  const decoder = new audit.Decoder(audit.houseFrom(book));
  /** @type {Map<string, import('#audit').TableState>} */
  const tables = new Map();
  let events = 0;
  /** @param {import('#audit').Changes | undefined} changes */
  const take = (changes) => {
    if (changes) for (const shoe of audit.rowsOf(changes).shoes) shoe.ledger();
  };
  const takesLines = 'tableOf' in decoder;
  eachLine(files, build, (block, from, to) => {
    const table = takesLines ? decoder.tableOf(block, from, to) : undefined;
    const event =
      table === undefined
        ? decoder.decode(block, from, to).event
        : { table, decoder, block, from, to };
    if (!event) throw new Error('a line is malformed');
    events += 1;
    let state = tables.get(event.table);
    if (!state) tables.set(event.table, (state = audit.newTable(event.table)));
    audit.fold(state, event, book, { mark: events, received: null });
    take(audit.takeFinalChanges(state));
  });
  for (const state of tables.values()) {
    audit.endOfLog(state, book);
    take(audit.takeChanges(state));
  }
  return events;
};

/** @type {(log: readonly import('#event-log').StoredRecord[]) => Part} */
const auditorOf =
  (log) =>
  ({ audit, rules, run, partition }) => {
    const book = rules.installedRules();
    const decoder = new audit.Decoder(audit.houseFrom(book));
    const claimed = { partition: 0, generation: 1, next: 0, lastDigest: null };
    const fold = new partition.PartitionFold(claimed, run.judgingBy(book));
    let events = 0;
    const project = () => {
      const { move } = fold.project((time) => time.slice(0, 10), SAVINGS);
      events += move.events;
      fold.wrote(move);
    };
    for (const record of log) {
      if (fold.take(record, decoder)) throw new Error('a table refused lawful play');
      if (fold.waiting.events >= TRANSACTION) project();
    }
    project();
    return events;
  };

/** @type {(part: Part, build: Build) => number} */
function microseconds(part, checkout) {
  const from = process.cpuUsage();
  const events = part(checkout);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / events;
}

/** @type {(values: readonly number[]) => string} */
const shown = (values) => {
  const { median, min, max } = spread(values);
  return `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`;
};

/** @type {(name: string, part: Part) => void} */
function compare(name, part) {
  /** @type {number[]} */
  const was = [];
  /** @type {number[]} */
  const is = [];
  /** @type {number[]} */
  const ratios = [];
  for (const checkout of [before, after]) part(checkout); // warm up
  for (let round = 0; round < Number(rounds); round += 1) {
    const first = round % 2 === 0 ? microseconds(part, before) : undefined;
    const b = microseconds(part, after);
    const a = first ?? microseconds(part, before);
    was.push(a);
    is.push(b);
    ratios.push(a / b);
  }
  console.log(
    `${name}: ${shown(was)} µs an event before, ${shown(is)} now, ratio ${shown(ratios)}; load ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** @type {readonly [name: string, part: 'decode' | 'audit' | 'auditor', make: () => Part][]} */
const PARTS = [
  ['decoding, cards', 'decode', () => decodingOf(blocks(play('T1', false, SHOES)))],
  ['decoding, with bets', 'decode', () => decodingOf(blocks(play('T1', true, SHOES)))],
  ['audit, cards', 'audit', () => auditOf(blocks(play('T1', false, SHOES)))],
  ['audit, with bets', 'audit', () => auditOf(blocks(play('T1', true, SHOES)))],
  [
    `auditor, ${TABLES} tables with bets`,
    'auditor',
    () =>
      auditorOf(
        inTurn(
          Array.from({ length: TABLES }, (_, i) =>
            records(`T${i}`, play(`T${i}`, true, SHOES / TABLES)),
          ),
        ),
      ),
  ],
];
for (const [name, part, make] of PARTS) if (!only || only === part) compare(name, make());
