import { dueAt, readings, type HandTotals } from '#baccarat';
import { drawCodesOf, type Stage, type Third } from './draws.js';
import type { Hand } from '../events/events.js';
import type { Coup, Laid, Shoe } from '../state.js';

/**
 * The most unread cards whose values are tried: three have a thousand readings. More leave
 * everything open.
 */
const UNREAD_MAX = 3;

/**
 * Returns the drawing codes of a coup in which an unread card leaves open to which hand a later,
 * unnamed card went. Tries every value of the unread cards, and lays each unnamed card on the hand
 * that was then due. `sure`: codes of every reading. `open`: codes of some. Returns `undefined` if
 * there are too many unread cards to try.
 */
export function drawCodesUnplaced(
  shoe: Shoe,
  coup: Coup,
  stage: Stage,
): { sure: number; open: number } | undefined {
  const cards = coup.cards.filter(
    ({ place }) => place !== 'burn' && place !== 'discard' && place !== 'next',
  );
  const values = cards.map(({ value }) => (value < 0 ? null : value));
  if (values.filter((value) => value === null).length > UNREAD_MAX) return undefined;
  let sure = -1;
  let some = 0;
  for (const reading of readings(values)) {
    const codes = codesOfReading(shoe, cards, reading, stage);
    sure &= codes;
    some |= codes;
  }
  return { sure, open: some & ~sure };
}

/** A hand as one reading of the cards fills it. */
class HandRead implements HandTotals {
  cards = 0;
  two = 0;
  total = 0;
  thirdCard: Third | null = null;

  get third(): number | null {
    return this.thirdCard && this.thirdCard.value;
  }

  lay(card: Third): void {
    this.cards += 1;
    this.total = (this.total + card.value) % 10;
    if (this.cards <= 2) this.two = this.total;
    else if (this.cards === 3) this.thirdCard = card;
  }
}

function codesOfReading(
  { rules: { tableau } }: Shoe,
  cards: readonly Laid[],
  values: readonly number[],
  stage: Stage,
): number {
  const player = new HandRead();
  const banker = new HandRead();
  let serial = 0;
  for (const [at, laid] of cards.entries()) {
    const next = dueAt(player, banker, tableau);
    const hand = handNamed(laid) ?? (next.step === 'card' ? next.to : null);
    if (hand === null) continue; // an excess card, in this reading
    const card = { value: values[at] as number, serial, initial: serial < 4 && !laid.moved };
    (hand === 'player' ? player : banker).lay(card);
    serial += 1;
  }
  if (player.cards < 2 || banker.cards < 2) return 0;
  const dealt = {
    player: player.two,
    banker: banker.two,
    playerThird: player.thirdCard,
    bankerThird: banker.thirdCard,
  };
  return drawCodesOf(tableau, dealt, stage);
}

/** Returns the hand to which a card was moved, or else the one that was named when it was drawn. */
function handNamed({ moved, place, event }: Laid): Hand | null {
  const named = moved && (place === 'player' || place === 'banker') ? place : event.data.to;
  return named === 'player' || named === 'banker' ? named : null;
}
