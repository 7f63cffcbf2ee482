import {
  bankerMustDraw,
  type Action,
  type Card,
  type Circumstances,
  type Hands,
  type Rules,
  type SeenCard,
} from '#baccarat';
import type { FindingCode } from '../../findings/catalogue.js';
import type { Hand } from '../../events/events.js';
import type { Dealing } from '../coup/dealing.js';

/** The hand where a card would have to lie after an action. */
const PLACES: Partial<Record<Action, Hand>> = {
  'move-to-player': 'player',
  'move-to-banker': 'banker',
};

/**
 * Returns whether PR-07 follows from a fault: whether the document prescribes something that a
 * dealer does not do who settles the coup as if nothing had happened. The simulated dealer never
 * remedies.
 */
export function isLeftUnremedied(
  rules: Rules,
  code: FindingCode,
  dealing: Dealing | null,
): boolean {
  const seen = dealing ? circumstances(rules, dealing) : { ...PLAIN, lastCoup: code === 'SH-09' };
  const entry = rules.irregularities.find(
    ({ codes, when }) =>
      codes.includes(code) &&
      Object.entries(when ?? {}).every(
        ([name, wanted]) => seen[name as keyof Circumstances] === wanted,
      ),
  );
  if (!entry) return false;
  const liesAt =
    dealing && dealing.faultyDraw !== null ? dealing.draws[dealing.faultyDraw]?.to : undefined;
  return !entry.do.every(
    (action) => action === 'settle' || (liesAt !== undefined && PLACES[action] === liesAt),
  );
}

const PLAIN: Circumstances = {
  exposed: false,
  firstCard: false,
  lastCoup: false,
  bankerMustDraw: false,
};

/** Coups with faults come before the cut card. */
function circumstances(rules: Rules, dealing: Dealing): Circumstances {
  const { faultyDraw, draws, belongsTo } = dealing;
  const hands: Hands = faultyDraw === null ? dealing : dealing.handsAfter(faultyDraw);
  return {
    exposed: faultyDraw !== null && draws[faultyDraw]?.exposed === true,
    firstCard: faultyDraw === 0,
    lastCoup: false,
    bankerMustDraw: bankerMustDraw(
      { player: asSeen(hands.player), banker: asSeen(hands.banker) },
      rules.tableau,
    ),
    ...(belongsTo ? { belongsTo } : undefined),
  };
}

const asSeen = (hand: readonly Card[]): SeenCard[] => hand.map((card) => ({ card }));
