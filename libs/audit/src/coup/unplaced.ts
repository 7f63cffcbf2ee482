import { bankerCell, playerCell, STOOD } from '#baccarat';
import { drawCodesOf, type Stage, type Third } from './draws.js';
import type { Hand } from '../events/events.js';
import type { Coup, Laid, Shoe } from '../state.js';

/** More unread cards than this in one coup leave everything open: a thousand ways to read them are enough to try. */
const UNREAD_MAX = 3;

interface Held {
  readonly value: number;
  readonly serial: number;
  readonly initial: boolean;
}

/**
 * The drawing codes of a coup in which an unread card leaves open to which hand a later card went, because no hand was
 * named for it: every value of the unread cards is tried, and each unnamed card goes to the hand that was then due.
 * `sure`: codes of every reading; `open`: of some. `undefined` where there are too many unread cards to try.
 */
export function drawCodesUnplaced(
  shoe: Shoe,
  coup: Coup,
  stage: Stage,
): { sure: number; open: number } | undefined {
  const cards = coup.cards.filter(
    ({ place }) => place !== 'burn' && place !== 'discard' && place !== 'next',
  );
  const unread = cards.filter(({ value }) => value < 0);
  if (unread.length > UNREAD_MAX) return undefined;
  let sure = -1;
  let some = 0;
  for (let reading = 0; reading < 10 ** unread.length; reading += 1) {
    const codes = codesOfReading(
      shoe,
      cards,
      (laid) =>
        laid.value >= 0 ? laid.value : Math.floor(reading / 10 ** unread.indexOf(laid)) % 10,
      stage,
    );
    sure &= codes;
    some |= codes;
  }
  return { sure, open: some & ~sure };
}

function codesOfReading(
  shoe: Shoe,
  cards: readonly Laid[],
  valueOf: (laid: Laid) => number,
  stage: Stage,
): number {
  const hands: Record<Hand, Held[]> = { player: [], banker: [] };
  let serial = 0;
  for (const laid of cards) {
    const named =
      laid.moved && (laid.place === 'player' || laid.place === 'banker')
        ? laid.place
        : laid.event.data.to;
    const hand = named === 'player' || named === 'banker' ? named : dueIn(shoe, hands);
    if (hand === null) continue; // an excess card, in this reading
    hands[hand].push({ value: valueOf(laid), serial, initial: serial < 4 && !laid.moved });
    serial += 1;
  }
  const { player, banker } = hands;
  if (player.length < 2 || banker.length < 2) return 0;
  const dealt = {
    player: twoOf(player),
    banker: twoOf(banker),
    playerThird: third(player),
    bankerThird: third(banker),
  };
  return drawCodesOf(shoe.rules.tableau, dealt, stage);
}

const twoOf = (hand: readonly Held[]): number =>
  ((hand[0]?.value ?? 0) + (hand[1]?.value ?? 0)) % 10;
const third = (hand: readonly Held[]): Third | null => hand[2] ?? null;

/** The hand due next to hands whose every card is known, as `due` has it. */
function dueIn({ rules }: Shoe, { player, banker }: Record<Hand, Held[]>): Hand | null {
  if (player.length < 2 && player.length <= banker.length) return 'player';
  if (banker.length < 2) return 'banker';
  if (player.length < 2) return 'player';
  const [p, b] = [twoOf(player), twoOf(banker)];
  if (p >= 8 || b >= 8) return null;
  if (player.length === 2 && playerCell(rules.tableau, p) !== 'stand') return 'player';
  return banker.length === 2 && bankerCell(rules.tableau, b, player[2]?.value ?? STOOD) !== 'stand'
    ? 'banker'
    : null;
}
