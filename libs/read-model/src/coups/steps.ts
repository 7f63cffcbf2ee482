import {
  decidingCell,
  dueOfReadings,
  isCard,
  knownTotal,
  sourcesAt,
  type DecidingCell,
  type Due,
  type HandName,
  type Rules,
  type SeenCard,
  type SeenHands,
  type SourceOfValue,
} from '#baccarat';
import type { CoupDetail } from '../entities/index.js';

type CardOfCoup = CoupDetail['cards'][number];

/** A cell of the drawing table, and its source in the rule document. */
export interface SourcedCell extends DecidingCell {
  /** Null if the document names none. */
  readonly source: SourceOfValue | null;
}

/** A card of a coup, and what the rules required when it was drawn. */
export type CoupStep = CardOfCoup & {
  /**
   * What was due before this card: several alternatives if an unread card leaves it open. A moved
   * card counts on the hand that it ended on.
   */
  readonly due: readonly Due[];
  /** The total of its hand with this card; null if it lies on no hand or a card was not read. */
  readonly total: number | null;
  /** The cell of the drawing table that decided about a third card; null for any other. */
  readonly cell: SourcedCell | null;
};

/**
 * The cards of a coup one by one, and what the rules require after the last of them: a missing
 * card, or the outcome.
 */
export interface Steps {
  readonly steps: readonly CoupStep[];
  readonly then: readonly Due[];
  /** The cell that gives `then` a third card; null if it has none. */
  readonly thenCell: SourcedCell | null;
}

/**
 * Returns what was due at each card by the tableau of `rules`. If the player hand was free to draw
 * or stand and the next card went to the banker, the player hand stood, and the result is what the
 * rules then require. If no card follows, the result has both alternatives.
 */
export function stepsOf(cards: CoupDetail['cards'], rules: Rules): Steps {
  const { tableau } = rules;
  const hands: Record<HandName, SeenCard[]> = { player: [], banker: [] };
  const steps: CoupStep[] = [];
  for (const card of cards) {
    const { to } = card;
    const due = dueOfReadings(hands, tableau, to === 'banker' ? 'stood' : 'asked');
    const cell = cellOf(hands, to, rules);
    const isOnHand = to === 'player' || to === 'banker';
    if (isOnHand) hands[to].push({ card: isCard(card.card) ? card.card : null });
    steps.push({ ...card, due, total: isOnHand ? knownTotal(hands[to]) : null, cell });
  }
  const then = dueOfReadings(hands, tableau, 'either');
  const missing = then.find(({ step }) => step === 'card');
  const to = missing?.step === 'card' ? missing.to : null;
  return { steps, then, thenCell: cellOf(hands, to, rules) };
}

/** Returns the cell that decides about a card to `to`, with its source; null for any other card. */
function cellOf(
  hands: SeenHands,
  to: CardOfCoup['to'],
  { tableau, document }: Rules,
): SourcedCell | null {
  if (to !== 'player' && to !== 'banker') return null;
  const cell = decidingCell(hands, to, tableau);
  if (!cell) return null;
  const pointer = cell.row === null ? '/tableau/player' : `/tableau/banker/${cell.row}`;
  const [source = null] = sourcesAt(document, pointer);
  return { ...cell, source };
}
