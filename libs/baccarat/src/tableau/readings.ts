import { valueOf, type Card } from '../cards/cards.js';
import type { Tableau } from '../rules/rules.js';
import { dueAt, outcomeOf, type Due, type HandTotals, type Outcome } from './due.js';

/** A card that was drawn: `null` if nobody could read it. */
export interface SeenCard {
  readonly card: Card | null;
}

/** The two hands, unread cards included, each in the order in which its cards were laid. */
export interface SeenHands {
  readonly player: readonly SeenCard[];
  readonly banker: readonly SeenCard[];
}

const DIGITS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const ONE: readonly (readonly number[])[] = DIGITS.map((digit) => [digit]);

/**
 * Yields every way to read these values: each `null` takes the values 0 to 9, the last one fastest.
 */
export function* readings(values: readonly (number | null)[]): Generator<readonly number[]> {
  const unread = values.flatMap((value, at) => (value === null ? [at] : []));
  const reading = values.map((value) => value ?? 0);
  for (let number = 0; number < 10 ** unread.length; number += 1) {
    let rest = number;
    for (const at of unread.toReversed()) {
      reading[at] = rest % 10;
      rest = Math.floor(rest / 10);
    }
    yield [...reading];
  }
}

/** Returns the totals that a hand can have: one, or all ten if any of its cards is unread. */
export function totals(hand: readonly SeenCard[]): readonly number[] {
  let sum = 0;
  for (const { card } of hand) {
    if (card === null) return DIGITS;
    sum += valueOf(card);
  }
  return ONE[sum % 10] as readonly number[];
}

/**
 * Returns every hand that this one can be, as far as the drawing rules and the outcome can tell
 * them apart: at most a thousand.
 */
export function handReadings(hand: readonly SeenCard[]): HandTotals[] {
  const sumOf = (cards: readonly SeenCard[]): number | null =>
    cards.some(({ card }) => card === null) ? null : (totals(cards)[0] as number);
  const parts = [sumOf(hand.slice(0, 2)), sumOf(hand.slice(2, 3)), sumOf(hand.slice(3))];
  return Array.from(readings(parts), ([two = 0, third = 0, later = 0]) => ({
    cards: hand.length,
    two,
    third: hand.length > 2 ? third : null,
    total: (two + third + later) % 10,
  }));
}

/**
 * What is known of a player hand that is free to draw: it has not decided yet, it stood, or either.
 */
export type FreePlayer = 'asked' | 'stood' | 'either';

/**
 * Returns everything that can be due after these cards, without repeats: one thing unless unread
 * cards leave it open.
 */
export function dueOfReadings(
  hands: SeenHands,
  tableau: Tableau,
  free: FreePlayer = 'asked',
): readonly Due[] {
  const found = new Map<string, Due>();
  const add = (due: Due): void =>
    void found.set(due.step === 'card' ? `${due.to} ${due.optional}` : due.outcome, due);
  // Nothing more is drawn to hands of three cards, and their readings would be a million pairs.
  if (hands.player.length > 2 && hands.banker.length > 2)
    return outcomesOfReadings(hands).map((outcome) => ({ step: 'outcome', outcome }));
  const bankers = handReadings(hands.banker);
  for (const player of handReadings(hands.player)) {
    for (const banker of bankers) {
      const next = dueAt(player, banker, tableau);
      const isFree = next.step === 'card' && next.optional && next.to === 'player';
      if (!isFree || free !== 'stood') add(next);
      if (isFree && free !== 'asked') add(dueAt(player, banker, tableau, true));
    }
  }
  return [...found.values()];
}

/** Returns every outcome that the hands can have as they lie. */
export function outcomesOfReadings({ player, banker }: SeenHands): readonly Outcome[] {
  const [players, bankers] = [totals(player), totals(banker)];
  if (players.length === 1 && bankers.length === 1)
    return [outcomeOf(players[0] as number, bankers[0] as number)];
  return [...new Set(players.flatMap((p) => bankers.map((b) => outcomeOf(p, b))))];
}

/**
 * Returns whether the banker hand, which has two cards, must draw against a player hand that stood
 * on its first two, however the unread cards are read.
 */
export function bankerMustDraw({ player, banker }: SeenHands, tableau: Tableau): boolean {
  if (player.length < 2 || banker.length !== 2) return false;
  const [stood, bankers] = [handReadings(player.slice(0, 2)), handReadings(banker)];
  return stood.every((first) =>
    bankers.every((second) => {
      const next = dueAt(first, second, tableau, true);
      return next.step === 'card' && !next.optional;
    }),
  );
}
