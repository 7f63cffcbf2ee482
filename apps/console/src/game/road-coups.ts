import { type Card, isCard, isNatural, pairOf, type RoadResult, totalOf } from '#baccarat';
import type { components } from '#api-types';

type CoupAnswer = components['schemas']['CoupAnswer'];

/** What a road reads of a coup. Every answer with coups has it. */
export interface RoadCoup extends Pick<
  CoupAnswer,
  'ref' | 'coup' | 'kind' | 'state' | 'outcome' | 'worst' | 'table'
> {
  readonly player: readonly (string | null)[];
  readonly banker: readonly (string | null)[];
}

/** The gravest severity of a coup's findings: 1 is the gravest. */
export type Severity = NonNullable<RoadCoup['worst']>;

/** Returns what a road needs to know about a coup. A hand with an unread card shows no pair. */
export const roadResultOf = ({ kind, state, outcome, player, banker }: RoadCoup): RoadResult => ({
  outcome: outcome ?? undefined,
  kind,
  void: state === 'void',
  playerPair: hasPair(player),
  bankerPair: hasPair(banker),
  natural: hasNatural(player) || hasNatural(banker),
});

const hasPair = (hand: RoadCoup['player']): boolean => {
  const two = firstTwo(hand);
  return two !== undefined && pairOf(two) !== 'none';
};

const hasNatural = (hand: RoadCoup['player']): boolean => {
  const two = firstTwo(hand);
  return two !== undefined && isNatural(2, totalOf(two));
};

function firstTwo([first, second]: RoadCoup['player']): readonly [Card, Card] | undefined {
  return isCard(first) && isCard(second) ? [first, second] : undefined;
}

/**
 * Returns the coup that a cell leads to: the gravest flagged one, and else the first. A cell of the
 * big road holds a won coup and the ties that followed it.
 */
export const gravestOf = <Coup extends Pick<RoadCoup, 'worst'>>(
  coups: readonly [Coup, ...Coup[]],
): Coup => coups.reduce((gravest, coup) => (rank(coup) < rank(gravest) ? coup : gravest));

const rank = ({ worst }: Pick<RoadCoup, 'worst'>): number => worst ?? Infinity;
