import { bankerCell, endsDrawing, playerCell, STOOD, type Tableau } from '#baccarat';
import type { FindingCode } from '../findings/catalogue.js';

/** What the drawing rules look at in a hand's third card. */
export interface Third {
  readonly value: number;
  /** Greater is later. */
  readonly serial: number;
  /** One of the coup's first four game cards: misplaced (DL-02), but not a draw. */
  readonly initial: boolean;
}

/**
 * What the drawing rules look at in two hands: the totals of their first two cards, and their third
 * cards.
 */
export interface Dealt {
  readonly player: number;
  readonly banker: number;
  readonly playerThird: Third | null;
  readonly bankerThird: Third | null;
}

/**
 * How far the coup has come. `laid`: a card was just laid, and more may follow. `declared`: an
 * outcome was declared, so a draw that is due is missing. `ended`: nothing will follow. `voided`:
 * nothing will follow, and nothing is missing.
 */
export type Stage = 'laid' | 'declared' | 'ended' | 'voided';

/** The codes that the drawing rules can raise, in the order of their bits. */
export const DRAW_CODES = [
  'TC-01',
  'TC-02',
  'TC-03',
  'TC-04',
  'TC-05',
  'TC-06',
  'TC-07',
  'TC-08',
  'TC-09',
] as const satisfies readonly FindingCode[];
/** One of the drawing codes. */
export type DrawCode = (typeof DRAW_CODES)[number];
const BITS = Object.fromEntries(DRAW_CODES.map((code, i) => [code, 1 << i])) as Readonly<
  Record<DrawCode, number>
>;
const {
  'TC-01': TC01,
  'TC-02': TC02,
  'TC-03': TC03,
  'TC-04': TC04,
  'TC-05': TC05,
  'TC-06': TC06,
  'TC-07': TC07,
  'TC-08': TC08,
  'TC-09': TC09,
} = BITS;

/**
 * Returns the codes of every drawing rule that two hands of two or more cards break, as bits (`1 <<
 * index in DRAW_CODES`). The rules are the table of contract section 4, "Third cards".
 */
export function drawCodesOf(tableau: Tableau, dealt: Dealt, stage: Stage): number {
  const { player, banker, playerThird, bankerThird } = dealt;
  if (endsDrawing(player, banker))
    return (drew(playerThird) ? TC01 : 0) | (drew(bankerThird) ? TC02 : 0);
  const missing = stage === 'declared' || stage === 'ended';
  const playerMay = playerCell(tableau, player);
  if (!playerThird) {
    const notDrawn = missing && playerMay === 'draw' ? TC03 : 0;
    return notDrawn | bankerCodesOf(tableau, dealt, stage, playerMay !== 'draw');
  }
  const bankerFirst = bankerThird !== null && bankerThird.serial < playerThird.serial;
  const outOfTurn = bankerFirst && playerMay === 'draw' && drew(bankerThird) ? TC09 : 0;
  const drawn = drew(playerThird) && playerMay === 'stand' ? TC04 : 0;
  return (
    drawn | outOfTurn | bankerCodesOf(tableau, dealt, stage, bankerFirst && playerMay !== 'draw')
  );
}

/**
 * Returns the codes of the banker's rules. `noPlayerCard`: at the banker's turn the player had no
 * third card, and none was due.
 */
function bankerCodesOf(
  tableau: Tableau,
  { banker, playerThird, bankerThird }: Dealt,
  stage: Stage,
  noPlayerCard: boolean,
): number {
  if (!bankerThird) {
    if (stage !== 'declared' && stage !== 'ended') return 0;
    if (bankerCell(tableau, banker, playerThird ? playerThird.value : STOOD) !== 'draw') return 0;
    return playerThird ? TC07 : TC05;
  }
  if (!drew(bankerThird)) return 0;
  // If the banker drew before a player who was due, judge the banker by the player's card once it
  // comes, and as if the player had stood if it never comes.
  const judgedAsStood = noPlayerCard || (!playerThird && (stage === 'ended' || stage === 'voided'));
  if (judgedAsStood) return bankerCell(tableau, banker, STOOD) === 'stand' ? TC06 : 0;
  return playerThird && bankerCell(tableau, banker, playerThird.value) === 'stand' ? TC08 : 0;
}

const drew = (third: Third | null): boolean => third !== null && !third.initial;

/** Returns the codes of a set of bits, in order. */
export const codesIn = (bits: number): readonly DrawCode[] =>
  bits === 0 ? NO_CODES : DRAW_CODES.filter((code) => (bits & BITS[code]) !== 0);
const NO_CODES: readonly DrawCode[] = [];

/** The bits of the codes for a draw that did not come. */
export const MISSING_DRAWS = TC03 | TC05 | TC07;
