import { parseDecimal, parseOdds, type Odds, type Rational } from '../bets/odds-notation.js';
import type { Rounding } from '../bets/money.js';
import type { BetText, Irregularity, Predicate, RuleDocument } from './rule-document.js';

/** What a hand does on a total. */
export type Cell = 'draw' | 'stand' | 'optional';
const CELLS: Readonly<Record<string, Cell>> = { D: 'draw', S: 'stand', O: 'optional' };

/** The column of the banker's table for a player who took no third card. */
export const STOOD = 10;

/** A parsed drawing table. */
export interface Tableau {
  /** By player total 0 to 7. */
  readonly player: readonly Cell[];
  /** By banker total 0 to 7, then by the value 0 to 9 of the player's third card, or `STOOD`. */
  readonly banker: readonly (readonly Cell[])[];
}

/** A condition that pays, and its odds. */
export interface Tier {
  readonly when: Predicate;
  readonly odds: Odds;
  readonly special: boolean;
}

/** A bet that was read from a rule document. */
export interface Bet {
  readonly id: string;
  readonly title: string;
  readonly pushes: readonly { readonly when: Predicate; readonly special: boolean }[];
  readonly pays: readonly Tier[];
  readonly commission: boolean;
}

/** The commission that was read from a rule document. */
export interface Commission {
  readonly rate: Rational;
  readonly when: 'taken' | 'marked';
  readonly rounding: Rounding;
  readonly minimum: number;
}

/** A parsed rule document: the value that every judge uses. */
export interface Rules {
  readonly document: RuleDocument;
  /** `id@version`, as events name it. */
  readonly ref: string;
  /**
   * The SHA-256 of the published file, in hexadecimal. Empty if the document did not come from a
   * file.
   */
  readonly hash: string;
  /** The published file, byte for byte. Empty if the document did not come from a file. */
  readonly text: string;
  readonly tableau: Tableau;
  readonly bets: ReadonlyMap<string, Bet>;
  readonly commission: Commission | undefined;
  readonly payoutRounding: Rounding;
  readonly irregularities: readonly Irregularity[];
}

/**
 * Parses a rule document that `lint` accepts. Throws, naming the JSON pointer, if the document's
 * form is invalid. Does not repeat lint's checks of the content.
 */
export function readRules(document: RuleDocument, hash = '', text = ''): Rules {
  const at = `${document.id}@${document.version}`;
  return {
    document,
    ref: at,
    hash,
    text,
    tableau: readTableau(document.tableau.player, document.tableau.banker, at),
    bets: new Map(document.bets.map((bet) => [bet.id, readBet(bet, at)])),
    commission: document.commission && {
      rate:
        parseDecimal(document.commission.rate) ??
        refuse(`${at}: commission.rate "${document.commission.rate}"`),
      when: document.commission.when,
      rounding: document.commission.rounding,
      minimum: document.commission.minimum ?? 0,
    },
    payoutRounding: document.payouts?.rounding ?? { unit: 1, mode: 'half-up' },
    irregularities: document.irregularities,
  };
}

/** Parses a printed table. `at` names the document in errors. */
export function readTableau(player: string, banker: readonly string[], at: string): Tableau {
  const read = (row: string, width: number): Cell[] => {
    const letters = row.replace(/ /g, '');
    if (letters.length !== width) refuse(`${at}: tableau row "${row}" must have ${width} cells`);
    return Array.from(letters).map(
      (letter) => CELLS[letter] ?? refuse(`${at}: tableau row "${row}" has "${letter}"`),
    );
  };
  if (banker.length !== 8) refuse(`${at}: the banker's table must have 8 rows`);
  return { player: read(player, 8), banker: banker.map((row) => read(row, 11)) };
}

function readBet(bet: BetText, at: string): Bet {
  return {
    id: bet.id,
    title: bet.title ?? bet.id,
    pushes: (bet.pushes ?? []).map(({ when, special }) => ({ when, special: special === true })),
    pays: bet.pays.map(({ when, odds, special }) => ({
      when,
      odds: parseOdds(odds) ?? refuse(`${at}: bet ${bet.id} pays "${odds}"`),
      special: special === true,
    })),
    commission: bet.commission === true,
  };
}

function refuse(problem: string): never {
  throw new Error(`rule document ${problem}`);
}
