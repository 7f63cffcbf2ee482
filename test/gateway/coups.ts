import type { AngelEyeReport } from '#devices';

const card = (
  name: '9S' | '2H' | 'KD' | '3C' | '8D' | 'QC',
  to: 'player' | 'banker',
  index: number,
) => ({ is: 'card', to, index, card: name }) as const;
const result = (won: 'player' | 'banker'): AngelEyeReport => ({
  ...{ is: 'result', result: won, playerPair: false, bankerPair: false },
});

/** Returns what a shoe reports of a lawful coup. Odd ones are won by the player. */
export const coupOf = (coup: number): readonly AngelEyeReport[] =>
  coup % 2 === 1
    ? [
        ...[card('9S', 'player', 1), card('2H', 'banker', 1), card('KD', 'player', 2)],
        ...[card('3C', 'banker', 2), result('player')],
      ]
    : [
        ...[card('2H', 'player', 1), card('8D', 'banker', 1), card('3C', 'player', 2)],
        ...[card('QC', 'banker', 2), result('banker')],
      ];
