import { due, factsOf, type Card, type Facts, type Hands, type Rules } from '#baccarat';

const CARD_OF_VALUE: readonly Card[] = ['KS', 'AS', '2S', '3S', '4S', '5S', '6S', '7S', '8S', '9S'];

/**
 * Counts six-card sequences by outcome, one value after the other, asking `due` at each step: the
 * textbook count, all in BigInt. `copies` of each value 0 to 9. With `replaced`, every card goes
 * back before the next, which is a shoe of unlimited decks.
 */
export function countValueSequences(
  rules: Rules,
  copies: readonly bigint[],
  replaced = false,
): Record<Facts['winner'], bigint> {
  const left = [...copies];
  const outcomes = { player: 0n, banker: 0n, tie: 0n };
  const deal = (hands: Hands, ways: bigint, cards: bigint, used: number): void => {
    const next = due(hands, rules);
    if (next.step === 'outcome') {
      let sequences = ways;
      for (let more = used, inShoe = cards; more < 6; more += 1) {
        sequences *= inShoe;
        if (!replaced) inShoe -= 1n;
      }
      outcomes[factsOf(hands).winner] += sequences;
      return;
    }
    CARD_OF_VALUE.forEach((card, value) => {
      const here = left[value] as bigint;
      if (here === 0n) return;
      if (!replaced) left[value] = here - 1n;
      deal(
        { ...hands, [next.to]: [...hands[next.to], card] },
        ways * here,
        replaced ? cards : cards - 1n,
        used + 1,
      );
      left[value] = here;
    });
  };
  deal(
    { player: [], banker: [] },
    1n,
    left.reduce((sum, each) => sum + each, 0n),
    0,
  );
  return outcomes;
}
