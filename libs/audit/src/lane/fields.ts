import { GRAMMARS, partAt, valueAt } from '../decode/grammar.js';
import type { EventType } from '../events/events.js';

/** The parts of a drawn card, as the scanner numbers them. */
export const CARD = {
  card: partAt('card-drawn', 'card'),
  to: partAt('card-drawn', 'to'),
  exposed: partAt('card-drawn', 'exposed'),
};
/** Where a card went. */
export const TO = {
  player: valueAt('card-drawn', 'to', 'player'),
  banker: valueAt('card-drawn', 'to', 'banker'),
  burn: valueAt('card-drawn', 'to', 'burn'),
  out: valueAt('card-drawn', 'to', 'out'),
};
/** The parts of the opening of a coup. */
export const OPENED = { coup: partAt('coup-opened', 'coup'), kind: partAt('coup-opened', 'kind') };
/** The usual kind of coup. */
export const NORMAL = valueAt('coup-opened', 'kind', 'normal');
/** The parts of a called total. */
export const CALLED = {
  hand: partAt('hand-called', 'hand'),
  total: partAt('hand-called', 'total'),
};
/** The player hand in a call. */
export const CALLED_PLAYER = valueAt('hand-called', 'hand', 'player');
/** The parts of a declared outcome. */
export const DECLARED = {
  outcome: partAt('outcome-declared', 'outcome'),
  player: partAt('outcome-declared', 'player'),
  banker: partAt('outcome-declared', 'banker'),
  specials: partAt('outcome-declared', 'specials'),
  by: partAt('outcome-declared', 'by'),
};
/** The outcomes. */
export const OUTCOME = {
  player: valueAt('outcome-declared', 'outcome', 'player'),
  banker: valueAt('outcome-declared', 'outcome', 'banker'),
  tie: valueAt('outcome-declared', 'outcome', 'tie'),
};
/** The parts of a bet that is placed or withdrawn. */
export const BET = {
  seat: partAt('bet-placed', 'seat'),
  bet: partAt('bet-placed', 'bet'),
  amount: partAt('bet-placed', 'amount'),
};
/** The parts of a settlement. */
export const SETTLED = {
  seat: partAt('bet-settled', 'seat'),
  bet: partAt('bet-settled', 'bet'),
  stake: partAt('bet-settled', 'stake'),
  paid: partAt('bet-settled', 'paid'),
  taken: partAt('bet-settled', 'commissionTaken'),
  marked: partAt('bet-settled', 'commissionMarked'),
};
/** A stake that was returned. */
export const RETURNED = valueAt('bet-settled', 'stake', 'returned');
/** The parts of collected commission. */
export const COLLECTED = {
  seat: partAt('commission-collected', 'seat'),
  amount: partAt('commission-collected', 'amount'),
};

/** Returns the values that a field has one of, each at its number. */
export const valuesOf = (type: EventType, part: number): readonly unknown[] =>
  GRAMMARS.get(type)?.[part]?.values ?? [];
