import { simulate } from '#audit';
import type { Card } from '#baccarat';
import type { AngelEyeReport } from '#devices';
import { BOOK } from '../kit/house.js';

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

/** Returns what a shoe reports of a simulated log, each with the index that it would have. */
export function reportsOf(lines: Iterable<string>): AngelEyeReport[] {
  const index = { player: 0, banker: 0, burn: 0 };
  const reports: AngelEyeReport[] = [];
  for (const line of lines) {
    const { type, data } = JSON.parse(line) as { type: string; data: Record<string, unknown> };
    const to = data.to as keyof typeof index;
    if (type === 'shoeprint.card-drawn.v1') {
      index[to] += 1;
      reports.push({ is: 'card', to, index: index[to], card: data.card as Card });
    } else if (type === 'shoeprint.cut-card-drawn.v1') reports.push({ is: 'cut-card' });
    else if (type === 'shoeprint.outcome-declared.v1' && data.by === 'device') {
      reports.push(result(data.outcome as 'player' | 'banker'));
      Object.assign(index, { player: 0, banker: 0 });
    }
  }
  return reports;
}

/** Returns the lines of a simulated shoe of the table of the example, without bets. */
export const shoeOf = (seed: string, faults: readonly string[] = []): string[] => [
  ...simulate({
    ...{ rules: BOOK.get('punto-banco@1') as never, table: 'B07', shoes: 1, seed },
    ...{ bets: false, currency: 'MOP', faults },
  }).lines,
];
