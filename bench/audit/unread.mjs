// Measures the cost of a coup whose every card is unread in lawful events.
// The aim is 2,000 at most.
// `npm run bench:unread`; a few seconds.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spread } from '../measure.mjs';
import { shoeprint } from './contestants.mjs';

const ROUNDS = 9;
const COUPS = 40;
const AIM = 2000;
const BETS = ['player', 'banker', 'tie', 'player-pair', 'banker-pair'];
const folder = mkdtempSync(join(tmpdir(), 'shoeprint-bench-'));
const cli = fileURLToPath(new URL('../../apps/cli/bin/shoeprint.js', import.meta.url));

/** @typedef {(type: string, data: object) => void} Add */

/**
 * Adds the events of a shoe in which every card is unread.
 * @param {Add} add
 * @param {readonly (string | null)[]} hands where each card of a coup goes
 */
function writeShoe(add, hands) {
  add('shoe-opened', {
    rules: 'punto-banco@1',
    decks: 8,
    kind: 'physical',
    currency: 'USD',
    reports: ['outcomes', 'bets', 'settlements', 'commission'],
  });
  for (let coup = 1; coup <= COUPS; coup += 1) {
    add('coup-opened', { coup });
    for (const bet of BETS) add('bet-placed', { seat: 1, bet, amount: 10000 });
    add('betting-closed', {});
    for (const to of hands) add('card-drawn', { card: null, to });
    add('hand-called', { hand: 'player', total: 5 });
    add('hand-called', { hand: 'banker', total: 6 });
    add('outcome-declared', {
      outcome: 'banker',
      player: 5,
      banker: 6,
      specials: [],
      by: 'dealer',
    });
    for (const bet of BETS) add('bet-settled', { seat: 1, bet, stake: 'taken', paid: 0 });
    add('coup-closed', {});
  }
}

/**
 * Writes a file of such a shoe.
 * @param {string} name
 * @param {readonly (string | null)[]} hands where each card of a coup goes
 */
function unread(name, hands) {
  let number = 0;
  /** @type {string[]} */
  const lines = [];
  /** @type {Add} */
  const add = (type, data) => {
    number += 1;
    lines.push(
      JSON.stringify({
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
      }),
    );
  };
  writeShoe(add, hands);
  const file = join(folder, `${name}.ndjson`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** @type {(file: string) => number} */
function ms(file) {
  const from = performance.now();
  shoeprint(file);
  return performance.now() - from;
}

try {
  const lawful = join(folder, 'lawful.ndjson');
  execFileSync(process.execPath, [
    cli,
    'simulate',
    '--shoes',
    '20',
    '--seed',
    'bench',
    '--bets',
    '--out',
    lawful,
  ]);
  const { events } = shoeprint(lawful);
  const six = ['player', 'banker', 'player', 'banker', 'player', 'banker'];
  const nobody = Array(12).fill(null);
  /** @type {[string, (string | null)[]][]} */
  const coups = [
    ['4 cards', six.slice(0, 4)],
    ['5 cards', six.slice(0, 5)],
    ['6 cards', six],
    ['6 cards, no hand named', six.map(() => null)],
    ['6 cards and 12 excess cards', [...six, ...nobody]],
    ['18 cards, no hand named', [...six.map(() => null), ...nobody]],
    ['10 cards, 5 on each hand', [...six, ...six.slice(0, 4)]],
  ];
  const files = coups.map(([name, hands]) => ({ name, file: unread(name, hands) }));
  for (const { file } of files) ms(file); // warm up
  console.log(
    `node ${process.version}, ${ROUNDS} rounds; a coup with every card unread, in lawful events (aim: ${AIM})`,
  );
  for (const { name, file } of files) {
    const costs = Array.from({ length: ROUNDS }, () => {
      const each = ms(lawful) / events;
      return ms(file) / COUPS / each;
    });
    const { median, min, max } = spread(costs);
    console.log(`  ${name.padEnd(30)} ${median.toFixed(0)} (${min.toFixed(0)}-${max.toFixed(0)})`);
  }
} finally {
  if (!process.env.KEEP) rmSync(folder, { recursive: true, force: true });
  else console.log(folder);
}
