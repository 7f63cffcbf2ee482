import type { AngelEyeReport } from './reports.js';

type CardReport = AngelEyeReport & { readonly is: 'card' };

/**
 * The cards that the shoe numbered since its indexes began: by target, the index of the last card
 * and the byte of each card.
 */
export interface Places {
  readonly last: Readonly<Partial<Record<CardReport['to'], number>>>;
  /** By target byte, the card byte. At most 16 for each of four targets. */
  readonly held: Readonly<Record<string, number>>;
  /** Targets of which cards may have gone by unheard, so that a jump of their index says nothing. */
  readonly unsure: readonly CardReport['to'][];
}

/** No card lies anywhere. */
export const NO_PLACES: Places = { last: {}, held: {}, unsure: [] };

/** Returns the places after a time in which nothing was heard. */
export const afterSilence = (places: Places): Places => ({
  ...places,
  unsure: ['player', 'banker', 'burn'],
});

/**
 * Lays a card at its place. Returns the number of cards before it that never came, by its index:
 * the cards of each hand and of the burn count from 1. Index 0 is not known to count. A hand whose
 * index goes back begins a new coup, and so does the other hand. A burn that goes back begins
 * a new burn. `beginsCoup`: the card is the first of a hand since a result, or its index goes back.
 */
export function lay(
  places: Places,
  { to, index }: CardReport,
  [target = 0, card = 0]: readonly number[],
): { readonly places: Places; readonly missing: number; readonly beginsCoup: boolean } {
  const isHand = to === 'player' || to === 'banker';
  const before = places.last[to] ?? 0;
  const begins = index !== 0 && index <= before;
  const { player, banker } = places.last;
  const isFirst = player === undefined && banker === undefined;
  const kept = begins || to === 'indicator' ? begun(places, isHand) : places;
  const beginsCoup = isHand && (begins || isFirst);
  return {
    missing: places.unsure.includes(to)
      ? missedUnheard(beginsCoup, to, index)
      : jumpedOver(begins ? 0 : before, index),
    places: {
      last: { ...kept.last, [to]: index === 0 ? (kept.last[to] ?? 0) : index },
      held: { ...kept.held, [target]: card },
      unsure: kept.unsure.filter((each) => each !== to),
    },
    beginsCoup,
  };
}

const jumpedOver = (before: number, index: number): number =>
  index === 0 ? 0 : Math.max(0, index - before - 1);

/**
 * Returns how many cards of a coup are missing before the first that is heard after a silence. The
 * first card of a coup goes to the player, so a coup that begins otherwise had begun unheard.
 */
const missedUnheard = (beginsCoup: boolean, to: CardReport['to'], index: number): number =>
  beginsCoup && !(to === 'player' && index <= 1) ? 1 : 0;

/** Returns the places after a new coup (`isHand`) or a new burn has begun. */
function begun({ last, held, unsure }: Places, isHand: boolean): Places {
  const isOfHand = (target: number): boolean => ((target >> 4) & 7) < 2;
  const entries = Object.entries(held).filter(([target]) => isOfHand(Number(target)) !== isHand);
  const { player, banker, ...others } = last;
  const hands = {
    ...(player === undefined ? {} : { player }),
    ...(banker === undefined ? {} : { banker }),
  };
  return { last: isHand ? others : hands, held: Object.fromEntries(entries), unsure };
}

/** Returns the places after a result: the next card of either hand has index 1. */
export const afterResult = ({ last, held, unsure }: Places): Places => {
  const { player: _player, banker: _banker, ...others } = last;
  return { last: others, held, unsure: unsure.filter((to) => to === 'burn') };
};
