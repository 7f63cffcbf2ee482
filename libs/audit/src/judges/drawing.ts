import { handReadings, totals } from '#baccarat';
import { cardsOn, cardsText, isCardDue, isOut, thirdOf } from '../coup/coup.js';
import {
  codesIn,
  DRAW_CODES,
  drawCodesOf,
  MISSING_DRAWS,
  type DrawCode,
  type Stage,
} from '../coup/draws.js';
import { referenceOf, type AnyEvent, type Hand } from '../events/events.js';
import { hides } from '../findings/catalogue.js';
import { UNREAD } from '../findings/finding.js';
import { raise, unjudgeable } from '../findings/findings.js';
import { oblige } from './dispositions.js';
import type { Coup, Laid, Shoe } from '../state.js';
import { drawCodesUnplaced } from '../coup/unplaced.js';

/**
 * Judges the drawing of a coup as its cards lie now (contract section 4, "Third cards"). `because`
 * is the event that triggers the judgment: a card laid, a declaration, or what ended the coup. With
 * unread cards, a code is raised if every value of them would raise it, and listed as unjudgeable
 * if only some would.
 */
export function judgeDraws(shoe: Shoe, coup: Coup, stage: Stage, because: AnyEvent): void {
  if (coup.short || coup.player.length < 2 || coup.banker.length < 2) return;
  if (hides(coup.lost, 'TC-01')) return;
  const codes = coup.unplaced ? drawCodesUnplaced(shoe, coup, stage) : drawCodes(shoe, coup, stage);
  if (!codes)
    return unjudgeable(shoe, coup, { codes: DRAW_CODES, events: unreadRefs(coup), cause: UNREAD });
  const { sure, open } = codes;
  const outOfCards = stage === 'ended' && isOut(shoe) && isCardDue(coup, shoe) ? MISSING_DRAWS : 0;
  const raised = sure & ~outOfCards & ~coup.drawCodes;
  coup.drawCodes |= raised;
  for (const code of codesIn(raised)) raiseDraw(shoe, coup, code, because);
  const doubtful = open & ~coup.drawCodes & ~outOfCards;
  if (doubtful !== 0)
    unjudgeable(shoe, coup, { codes: codesIn(doubtful), events: unreadRefs(coup), cause: UNREAD });
}

// Only the cards on the hands matter for drawing, not those burned, discarded or carried over.
const unreadRefs = (coup: Coup): string[] =>
  [...coup.player, ...coup.banker]
    .filter(({ card }) => card === null)
    .map(({ event }) => referenceOf(event));

/**
 * Returns the codes that every value of the unread cards raises, and those that only some raise.
 */
function drawCodes(shoe: Shoe, coup: Coup, stage: Stage): { sure: number; open: number } {
  const { tableau } = shoe.rules;
  const [p1, p2, p3] = coup.player as [Laid, Laid, Laid | undefined];
  const [b1, b2, b3] = coup.banker as [Laid, Laid, Laid | undefined];
  const bankerThird = thirdOf(b3, 0);
  if (p1.value >= 0 && p2.value >= 0 && b1.value >= 0 && b2.value >= 0 && (!p3 || p3.value >= 0)) {
    const dealt = {
      player: (p1.value + p2.value) % 10,
      banker: (b1.value + b2.value) % 10,
      playerThird: thirdOf(p3, p3 ? p3.value : 0),
      bankerThird,
    };
    return { sure: drawCodesOf(tableau, dealt, stage), open: 0 };
  }
  let sure = -1;
  let some = 0;
  for (const player of handReadings(coup.player.slice(0, 3))) {
    const playerThird = thirdOf(p3, player.third ?? 0);
    for (const banker of handReadings([b1, b2])) {
      const dealt = { player: player.two, banker: banker.two, playerThird, bankerThird };
      const codes = drawCodesOf(tableau, dealt, stage);
      sure &= codes;
      some |= codes;
    }
  }
  return { sure, open: some & ~sure };
}

type Words = readonly [expected: string, observed: string, message: string];

function wordsOf(coup: Coup, code: DrawCode, hand: Hand): Words {
  const against =
    code === 'TC-07' || code === 'TC-08'
      ? ` against a third card of ${totalText([coup.player[2] as Laid])}`
      : '';
  const standing = `The ${hand} hand (${cardsText(cardsOn(coup, hand).slice(0, 2))})`;
  const on = `on ${totalText(cardsOn(coup, hand).slice(0, 2))}${against}`;
  const natural = ' while a natural ended the drawing';
  const words: Record<DrawCode, Words> = {
    'TC-01': ['stand', 'drew', `${standing} drew ${on}${natural}.`],
    'TC-02': ['stand', 'drew', `${standing} drew ${on}${natural}.`],
    'TC-03': ['draw', 'stood', `${standing} did not draw ${on}; it must.`],
    'TC-04': ['stand', 'drew', `${standing} drew ${on}; it must stand.`],
    'TC-05': [
      'draw',
      'stood',
      `${standing} did not draw ${on} against a player hand of two cards; it must.`,
    ],
    'TC-06': [
      'stand',
      'drew',
      `${standing} drew ${on} against a player hand of two cards; it must stand.`,
    ],
    'TC-07': ['draw', 'stood', `${standing} did not draw ${on}; it must.`],
    'TC-08': ['stand', 'drew', `${standing} drew ${on}; it must stand.`],
    'TC-09': [
      'player first',
      'banker first',
      `The banker's third card was drawn before the player's, which was due.`,
    ],
  };
  return words[code];
}

function raiseDraw(shoe: Shoe, coup: Coup, code: DrawCode, because: AnyEvent): void {
  const hand = code === 'TC-01' || code === 'TC-03' || code === 'TC-04' ? 'player' : 'banker';
  const laid = cardsOn(coup, hand)[2];
  const [expected, observed, message] = wordsOf(coup, code, hand);
  const drawn =
    code === 'TC-09' ? [coup.banker[2], coup.player[2]] : observed === 'drew' ? [laid] : [];
  const cards = drawn.filter((card) => card !== undefined);
  const seen = cards.length > 0 && observed === 'drew' ? `drew ${cardsText(cards)}` : observed;
  const events =
    cards.length > 0
      ? cards.map(({ event }) => referenceOf(event))
      : [...coup.player, ...coup.banker]
          .map(({ event }) => referenceOf(event))
          .concat(referenceOf(because));
  const finding = raise(shoe, coup, code, { events, expected, observed: seen, message });
  if (finding) oblige(shoe, coup, finding, { card: observed === 'drew' ? (laid ?? null) : null });
}

/** Returns the total of some cards in words: `?` if a card was not read. */
export const totalText = (cards: readonly Laid[]): string => {
  const found = totals(cards);
  return found.length === 1 ? String(found[0]) : '?';
};
