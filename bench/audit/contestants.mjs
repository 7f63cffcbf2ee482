// What is compared: the whole path of Shoeprint from bytes to findings, and the public engine fed
// from the same log by JSON.parse.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  blockOf,
  Decoder,
  endOfLog,
  fold,
  houseFrom,
  newTable,
  RuleBook,
} from '../../dist/libs/audit/src/index.js';
import { readRules } from '../../dist/libs/baccarat/src/index.js';
import { eachLine } from './lines.mjs';

const { BaccaratGameEngine } = createRequire(import.meta.url)('baccarat-engine');

const rules = readRules(
  JSON.parse(readFileSync(new URL('../../rules/punto-banco@1.json', import.meta.url), 'utf8')),
);
const book = new RuleBook(
  (text) => createHash('sha256').update(text).digest('hex'),
  [[rules.ref, rules]],
);

/** Reads the bytes of a file and returns its findings, with every check on. */
export function shoeprint(file) {
  const decoder = new Decoder(houseFrom(book));
  const tables = new Map();
  let block;
  let events = 0;
  let coups = 0;
  let findings = 0;
  const take = (consequences) => {
    for (const { is } of consequences) {
      if (is === 'coup') coups += 1;
      else if (is === 'raised') findings += 1;
    }
  };
  eachLine(file, (bytes, text, from, to, fresh) => {
    if (fresh) block = blockOf(bytes, text);
    const { event, faults } = decoder.decode(block, from, to);
    if (!event) throw new Error(`malformed: ${JSON.stringify(faults)}`);
    let state = tables.get(event.table);
    if (!state) tables.set(event.table, (state = newTable(event.table)));
    take(fold(state, event, book));
    events += 1;
  });
  for (const state of tables.values()) take(endOfLog(state, book));
  return { events, coups, findings };
}

/** Reads and decodes the lines, without the fold. */
export function decodeOnly(file) {
  const decoder = new Decoder(houseFrom(book));
  let block;
  let events = 0;
  eachLine(file, (bytes, text, from, to, fresh) => {
    if (fresh) block = blockOf(bytes, text);
    if (!decoder.decode(block, from, to).event) throw new Error('malformed');
    events += 1;
  });
  return { events };
}

const SUITS = { S: 'spade', H: 'heart', D: 'diamond', C: 'club' };
const CARDS = new Map();
for (const suit of 'SHDC')
  for (const rank of 'A23456789TJQK')
    CARDS.set(rank + suit, { value: rank === 'T' ? '10' : rank, suit: SUITS[suit] });

/**
 * Runs the public engine on the same lines: JSON.parse, the coup's cards put back into its shoe and
 * dealt again, its cards and outcome compared. It does not check pairs (on which it is wrong),
 * bets, the shoe, or who sent what.
 */
export function baccaratEngine(file) {
  const engine = new BaccaratGameEngine();
  let events = 0;
  let coups = 0;
  let findings = 0;
  let cards = [];
  let declared = '';
  eachLine(file, (bytes, text, from, to) => {
    const { type, data } = JSON.parse(text.slice(from, to));
    events += 1;
    if (type === 'shoeprint.card-drawn.v1') {
      if (data.to !== 'burn') cards.push(CARDS.get(data.card));
    } else if (type === 'shoeprint.outcome-declared.v1') declared = data.outcome;
    else if (type === 'shoeprint.coup-closed.v1') {
      const dealt = cards.length;
      engine.shoe.cards = cards.reverse();
      const hand = engine.dealGame();
      const { outcome } = engine.resultsEngine.calculateGameResult(hand);
      if (hand.playerCards.length + hand.bankerCards.length !== dealt || outcome !== declared)
        findings += 1;
      coups += 1;
      cards = [];
    }
  });
  return { events, coups, findings };
}
