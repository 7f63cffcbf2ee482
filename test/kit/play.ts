import type { EventData } from '#audit';
import type { TableLog } from './table.js';

type Placed = readonly [seat: number, bet: string, amount: number];
type Settled = readonly [
  seat: number,
  bet: string,
  stake: 'returned' | 'taken',
  paid: number,
  commissionMarked?: number,
  commissionTaken?: number,
];

/**
 * One coup as a table plays it. What is left out does not happen, except the cards, which default
 * to a natural for the player hand.
 */
export interface Played {
  readonly kind?: EventData['coup-opened']['kind'];
  readonly bets?: readonly Placed[];
  readonly cards?: string;
  readonly outcome?: EventData['outcome-declared']['outcome'];
  readonly settled?: readonly Settled[];
  /** Whether it is closed. Default: `true`. */
  readonly closed?: boolean;
}

/**
 * Naturals, so that nothing depends on third cards: the player hand wins 9 to 7, the banker hand 9
 * to 7, or both have 8.
 */
export const PLAYER_WINS = 'P 4S B 2H P 5D B 5C';
export const BANKER_WINS = 'P 2S B 4H P 5D B 5C';
export const TIE = 'P 3S B 2H P 5D B 6C';

/**
 * Plays coup `coup` into the log: bets at the terminal, betting closed, cards, the outcome,
 * settlements, the close.
 */
export function play(
  log: TableLog,
  coup: number,
  { kind, bets = [], cards = PLAYER_WINS, outcome, settled = [], closed = true }: Played = {},
): void {
  log.add('shoe', 'coup-opened', { coup, ...(kind === undefined ? undefined : { kind }) });
  for (const [seat, bet, amount] of bets) log.add('terminal', 'bet-placed', { seat, bet, amount });
  log.add('terminal', 'betting-closed');
  log.draw(cards);
  if (outcome) log.add('terminal', 'outcome-declared', { outcome, by: 'dealer' });
  for (const each of settled) settle(log, each);
  if (closed) log.add('terminal', 'coup-closed');
}

/** Settles one bet at the terminal. */
export function settle(log: TableLog, [seat, bet, stake, paid, marked, taken]: Settled): string {
  return log.add('terminal', 'bet-settled', {
    seat,
    bet,
    stake,
    paid,
    ...(taken === undefined ? undefined : { commissionTaken: taken }),
    ...(marked === undefined ? undefined : { commissionMarked: marked }),
  });
}
