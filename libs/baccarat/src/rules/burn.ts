import type { BurnText } from './rule-document.js';

/**
 * Returns the numbers of cards that may be burned before the first coup, not counting the indicator
 * card of a burn "by the first card". `indicatorRank` is that card's rank, or `undefined` if it is
 * unknown or nothing was burned.
 */
export function permittedBurns(
  burn: readonly BurnText[],
  decks: number,
  indicatorRank: string | undefined,
): { counts: number[]; byFirstCard: number[] } {
  const counts: number[] = [];
  const byFirstCard: number[] = [];
  for (const way of burn) {
    switch (way.count) {
      case 'none':
        counts.push(0);
        break;
      case 'decks':
        counts.push(decks);
        break;
      case 'fixed':
        for (let n = way.from; n <= way.to; n += 1) counts.push(n);
        break;
      case 'first-card':
        if (indicatorRank !== undefined) byFirstCard.push(burnFor(indicatorRank, way));
        break;
    }
  }
  return { counts, byFirstCard };
}

function burnFor(
  rank: string,
  way: { readonly ace?: number; readonly ten?: number; readonly face?: number },
): number {
  if (rank === 'A') return way.ace ?? 1;
  if (rank === 'T') return way.ten ?? 10;
  return 'JQK'.includes(rank) ? (way.face ?? 10) : Number(rank);
}
