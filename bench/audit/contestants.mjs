// What is compared: the whole path of Shoeprint from bytes to findings, and the public engine fed
// from the same log by JSON.parse.
import { hash as digestOf } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  blockCut,
  Decoder,
  endOfLog,
  fold,
  houseFrom,
  newTable,
  RuleBook,
  rowsOf,
  saveTable,
  takeFinalChanges,
  takeChanges,
} from '#audit';
import { readRules } from '#baccarat';
import { eachLine } from './lines.mjs';

/**
 * What was counted. `lane`: the events that the lane took. `again`: those of them that were stepped
 * through later.
 * @typedef {{ events: number, coups: number, findings: number }} Found
 * @typedef {Found & { lane?: number, again?: number }} Counted
 */

const { BaccaratGameEngine, Card } = /** @type {typeof import('baccarat-engine')} */ (
  createRequire(import.meta.url)('baccarat-engine')
);

/** @type {import('#baccarat').RuleDocument} */
const document = JSON.parse(
  readFileSync(new URL('../../rules/punto-banco@1.json', import.meta.url), 'utf8'),
);
const rules = readRules(document);
const PUNTO_BANCO = new RuleBook((text) => digestOf('sha256', text), [[rules.ref, rules]]);

/**
 * Returns a block as the command line reads it.
 * @param {Buffer} bytes
 */
const fileBlock = (bytes) => blockCut(bytes, (_, from, to) => bytes.toString('latin1', from, to));

/**
 * Reads the bytes of a file and counts its findings, with every check on.
 * @param {string} file
 * @param {import('#audit').LaneSetting} [lanes] how its lines are folded
 * @param {RuleBook} [book] the rule documents
 * @returns {Counted}
 */
export function shoeprint(file, lanes = 'on', book = PUNTO_BANCO) {
  const decoder = new Decoder(houseFrom(book));
  /** @type {Map<string, import('#audit').TableState>} */
  const tables = new Map();
  let events = 0;
  let coups = 0;
  let findings = 0;
  /**
   * Takes rows as the command line does: those of a shoe once it can no longer change.
   * @param {import('#audit').Changes | undefined} changes
   */
  const take = (changes) => {
    if (!changes) return;
    for (const shoe of rowsOf(changes).shoes) {
      coups += shoe.shoe.coups;
      findings += shoe.findings().length;
      shoe.ledger();
    }
  };
  eachLine(file, fileBlock, (block, from, to) => {
    const name = decoder.tableOf(block, from, to);
    if (name === undefined) throw new Error('a line of the simulator is not canonical');
    let state = tables.get(name);
    if (!state) tables.set(name, (state = newTable(name, lanes)));
    fold(state, { decoder, block, from, to }, book, { mark: events, received: null });
    take(takeFinalChanges(state));
    events += 1;
  });
  let [lane, again] = [0, 0];
  for (const state of tables.values()) {
    endOfLog(state, book);
    take(takeChanges(state));
    lane += state.lane.counts.lane;
    again += state.lane.counts.again;
  }
  return { events, coups, findings, lane, again };
}

/** The auditor writes a transaction after about so many events of a bulk load. */
const EVENTS_A_WRITE = 2_000;

/**
 * Folds the bytes of a file as the auditor does: draws every row that changed after each write, and
 * saves the state of each table after some.
 * @param {string} file
 * @param {RuleBook} book the rule documents
 * @returns {Counted}
 */
export function auditor(file, book) {
  const decoder = new Decoder(houseFrom(book));
  /** @type {Map<string, import('#audit').TableState>} */
  const tables = new Map();
  let [events, coups, findings, lane, again] = [0, 0, 0, 0, 0];
  const write = () => {
    for (const state of tables.values())
      for (const shoe of rowsOf(takeChanges(state)).shoes) {
        coups += shoe.coups().filter(({ state: is }) => is === 'over').length;
        findings += shoe.findings().length;
        shoe.sums((time) => time.slice(0, 10));
      }
  };
  eachLine(file, fileBlock, (block, from, to) => {
    const name = decoder.tableOf(block, from, to);
    if (name === undefined) throw new Error('a line of the simulator is not canonical');
    let state = tables.get(name);
    if (!state) tables.set(name, (state = newTable(name)));
    fold(state, { decoder, block, from, to }, book, { mark: events, received: null });
    events += 1;
    if (events % EVENTS_A_WRITE === 0) write();
    if (events % (10 * EVENTS_A_WRITE) === 0) tables.forEach(saveTable);
  });
  write();
  for (const state of tables.values()) {
    lane += state.lane.counts.lane;
    again += state.lane.counts.again;
  }
  return { events, coups, findings, lane, again };
}

/**
 * Reads and decodes the lines, without the fold.
 * @param {string} file
 */
export function decodeOnly(file) {
  const decoder = new Decoder(houseFrom(PUNTO_BANCO));
  let events = 0;
  eachLine(file, fileBlock, (block, from, to) => {
    if (!decoder.decode(block, from, to).event) throw new Error('malformed');
    events += 1;
  });
  return { events, coups: 0, findings: 0 };
}

/** @typedef {{ type: string, table: string, data: { card: string, to: string, outcome: string } }} Line */

const RANKS = 'A23456789TJQK'.split('');
const SUITS = { S: 'spade', H: 'heart', D: 'diamond', C: 'club' };
/** @type {Map<string, import('baccarat-engine').Card>} */
const CARDS = new Map(
  Object.entries(SUITS).flatMap(([letter, suit]) =>
    RANKS.map((rank) => [rank + letter, new Card(suit, rank === 'T' ? '10' : rank)]),
  ),
);

/** @type {(bytes: Buffer) => string} */
const textOf = (bytes) => bytes.toString('latin1');

/**
 * Runs the public engine on the same lines: JSON.parse, the coup's cards put back into its shoe and
 * dealt again, its cards and outcome compared. It does not check pairs (on which it is wrong),
 * bets, the shoe, or who sent what.
 * @param {string} file
 * @returns {Counted}
 */
export function baccaratEngine(file) {
  const engine = new BaccaratGameEngine();
  let events = 0;
  let coups = 0;
  let findings = 0;
  /**
   * The open coup of each table.
   * @type {Map<string, { cards: import('baccarat-engine').Card[], declared?: string }>}
   */
  const open = new Map();
  eachLine(file, textOf, (text, from, to) => {
    /** @type {Line} */
    const { type, table, data } = JSON.parse(text.slice(from, to));
    events += 1;
    let coup = open.get(table);
    if (!coup) open.set(table, (coup = { cards: [] }));
    if (type === 'shoeprint.card-drawn.v1') {
      const card = CARDS.get(data.card);
      if (card && data.to !== 'burn') coup.cards.push(card);
    } else if (type === 'shoeprint.outcome-declared.v1') coup.declared = data.outcome;
    else if (type === 'shoeprint.coup-closed.v1') {
      const dealt = coup.cards.length;
      engine.shoe.cards = coup.cards.reverse();
      const hand = engine.dealGame();
      const { outcome: found } = engine.resultsEngine.calculateGameResult(hand);
      if (hand.playerCards.length + hand.bankerCards.length !== dealt || found !== coup.declared)
        findings += 1;
      coups += 1;
      open.delete(table);
    }
  });
  return { events, coups, findings };
}
