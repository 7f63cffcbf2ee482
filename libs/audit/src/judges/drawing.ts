import { totals } from '#baccarat';
import { cardsOn, cardsText, isCardDue, isOut, thirdOf } from '../coup/coup.js';
import { codesIn, drawCodesOf, MISSING_DRAWS, type DrawCode, type Stage } from '../coup/draws.js';
import { referenceOf, type AnyEvent, type Hand } from '../events/events.js';
import { isDrawCode, type Exhibit } from '../coup/readings/readings.js';
import { hides } from '../findings/catalogue.js';
import { raise } from '../findings/findings.js';
import { oblige } from './dispositions.js';
import type { Coup, Laid, Shoe } from '../state.js';

/**
 * Judges the drawing of a coup as its cards lie now (contract section 4, "Third cards"). `because`
 * is the event that triggers the judgment: a card laid, a declaration, or what ended the coup.
 */
export function judgeDraws(shoe: Shoe, coup: Coup, stage: Stage, because: AnyEvent): void {
  if (coup.short === 'all' || hides(coup.lost, 'TC-01')) return;
  const { readings } = coup;
  if (readings) {
    const laid = stage === 'laid' ? (coup.cards.at(-1) ?? null) : null;
    return readings.settle(
      readings.mark(readings.drawLook(stage, laid)),
      (code, { hand }) =>
        isDrawCode(code)
          ? drawShown(coup, code, because)
          : fourthShown(coup, laid as Laid, hand as Hand),
      (finding, card) => oblige(shoe, coup, finding, { card }),
    );
  }
  if (coup.player.length < 2 || coup.banker.length < 2) return;
  const codes = drawCodes(shoe, coup, stage);
  const outOfCards = stage === 'ended' && isOut(shoe) && isCardDue(coup, shoe) ? MISSING_DRAWS : 0;
  const raised = codes & ~outOfCards & ~coup.drawCodes;
  coup.drawCodes |= raised;
  for (const code of codesIn(raised)) {
    const { wrong, card = null } = drawShown(coup, code, because);
    const finding = raise(shoe, coup, code, wrong);
    if (finding) oblige(shoe, coup, finding, { card });
  }
}

/** Returns the codes of the drawing rules that a coup without unread cards breaks. */
function drawCodes(shoe: Shoe, coup: Coup, stage: Stage): number {
  const [p1, p2, p3] = coup.player as [Laid, Laid, Laid | undefined];
  const [b1, b2, b3] = coup.banker as [Laid, Laid, Laid | undefined];
  const dealt = {
    player: (p1.value + p2.value) % 10,
    banker: (b1.value + b2.value) % 10,
    playerThird: thirdOf(p3),
    bankerThird: thirdOf(b3),
  };
  return drawCodesOf(shoe.rules.tableau, dealt, stage);
}

type Words = readonly [expected: string, observed: string, message: string];

function wordsOf(coup: Coup, code: DrawCode, hand: Hand): Words {
  const against =
    code === 'TC-07' || code === 'TC-08'
      ? ` against a third card of ${totalText(coup.player.slice(2, 3))}`
      : '';
  const ofHand = `The ${hand} hand (${cardsText(cardsOn(coup, hand).slice(0, 2))})`;
  const on = `on ${totalText(cardsOn(coup, hand).slice(0, 2))}${against}`;
  const natural = ' while a natural ended the drawing';
  const words: Record<DrawCode, Words> = {
    'TC-01': ['stand', 'drew', `${ofHand} drew ${on}${natural}.`],
    'TC-02': ['stand', 'drew', `${ofHand} drew ${on}${natural}.`],
    'TC-03': ['draw', 'stood', `${ofHand} did not draw ${on}; it must.`],
    'TC-04': ['stand', 'drew', `${ofHand} drew ${on}; it must stand.`],
    'TC-05': [
      'draw',
      'stood',
      `${ofHand} did not draw ${on} against a player hand of two cards; it must.`,
    ],
    'TC-06': [
      'stand',
      'drew',
      `${ofHand} drew ${on} against a player hand of two cards; it must stand.`,
    ],
    'TC-07': ['draw', 'stood', `${ofHand} did not draw ${on}; it must.`],
    'TC-08': ['stand', 'drew', `${ofHand} drew ${on}; it must stand.`],
    'TC-09': [
      'player first',
      'banker first',
      `The banker's third card was drawn before the player's, which was due.`,
    ],
  };
  return words[code];
}

function drawShown(coup: Coup, code: DrawCode, because: AnyEvent): Exhibit {
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
  return {
    wrong: { events, expected, observed: seen, message },
    card: observed === 'drew' ? (laid ?? null) : null,
  };
}

/** Returns the finding about a fourth card on a hand. */
export const fourthShown = (coup: Coup, laid: Laid, hand: Hand): Exhibit => ({
  wrong: {
    hand,
    events: [...new Set([...cardsOn(coup, hand), laid])].map(({ event }) => referenceOf(event)),
    expected: 'at most three cards',
    observed: 'a fourth card',
    message: `The ${hand} hand was given a fourth card.`,
  },
  card: laid,
});

/** Returns the total of some cards in words: `?` if a card was not read. */
export const totalText = (cards: readonly Laid[]): string => {
  if (cards.length === 0) return '?';
  const found = totals(cards);
  return found.length === 1 ? String(found[0]) : '?';
};
