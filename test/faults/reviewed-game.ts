import { nameOf } from './count.js';
import { simulated } from './load.js';

/** Faults of coups, most of which need two persons. */
const CODES = [
  'TC-05',
  'PY-03',
  'TC-08',
  'RS-02',
  'PY-01',
  'TC-07',
  'PY-02',
  'BT-01',
  'DL-02',
  'CM-02',
];
/** After how many coups the floor corrects a bet, and of how many coups before. */
const CORRECTED = { every: 5, behind: 2 };

/**
 * Plays coups of a shoe with a fault in each, and one more. In between, a person corrects bets of
 * earlier coups, after people may have ruled on what was found there.
 */
export function* reviewedGame(table: string, faults: number): Generator<string, void, undefined> {
  const codes = Array.from(
    { length: faults },
    (_, at) => `${CODES[at % CODES.length] as string}@1/${at + 1}`,
  );
  const bets: string[] = [];
  let coups = 0;
  for (const line of simulated(table, 1, codes)) {
    yield line;
    if (line.includes('"type":"shoeprint.bet-placed.v1"')) bets[coups] ??= line;
    if (!line.includes('"type":"shoeprint.coup-closed.v1"')) continue;
    coups += 1;
    const bet = bets[coups - 1 - CORRECTED.behind];
    if (coups % CORRECTED.every === 0 && bet !== undefined) yield correction(bet, line);
    if (coups > faults) return;
  }
}

/** Returns a correction of the amount of a bet, at the time of another line. */
function correction(bet: string, after: string): string {
  const { table, data } = JSON.parse(bet) as { table: string; data: { amount: number } };
  const { time } = JSON.parse(after) as { time: string };
  return JSON.stringify({
    specversion: '1.0',
    type: 'shoeprint.observation-corrected.v1',
    source: `person/floor-${table}`,
    id: `correction of ${nameOf(bet)}`,
    time,
    table,
    data: { event: nameOf(bet), data: { ...data, amount: 2 * data.amount } },
  });
}
