import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  decimal,
  exactFraction,
  oddsOf,
  parseOdds,
  percent,
  type BetOdds,
  type BetText,
  type ExactFraction,
  type Facts,
  type OddsOptions,
} from '#baccarat';
import { CHEMIN_DE_FER, rulesOf, STANDARD } from './documents.js';
import { countValueSequences } from './value-sequences.js';

const page = readFileSync(new URL('../../docs/rules/odds.md', import.meta.url), 'utf8');

/** Returns the rows of the table whose heading begins with these columns. */
function tableOf(...columns: string[]): string[][] {
  const lines = page.split('\n');
  const heading = lines.findIndex((line) => line.startsWith(`| ${columns.join(' | ')} |`));
  if (heading < 0) throw new Error(`docs/rules/odds.md has no table ${columns.join(', ')}`);
  const length = lines.slice(heading).findIndex((line) => !line.startsWith('|'));
  return lines.slice(heading + 2, heading + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/**
 * Returns the odds of one of the three main bets at this payout. `less 5 %` after it means
 * commission.
 */
function betAt(outcome: string, pays: string, decks: number, options: OddsOptions = {}): BetOdds {
  const [odds, commission] = [pays.replace(' less 5 %', ''), pays.endsWith(' less 5 %')];
  const text: BetText = {
    id: 'asked',
    pushes: outcome === 'tie' ? [] : [{ when: { winner: 'tie' } }],
    pays: [{ when: { winner: outcome as Facts['winner'] }, odds }],
    ...(commission ? { commission } : {}),
  };
  return oddsOf(
    rulesOf([text], options.choice ? CHEMIN_DE_FER : STANDARD),
    decks,
    options,
  ).bets.get('asked') as BetOdds;
}

const NO_BETS = rulesOf([]);

/**
 * Returns the house's edge on a tie bet if every card goes back into the shoe: the limit for ever
 * more decks.
 */
function tieEdgeWithoutLimit(pays: string): ExactFraction {
  const { player, banker, tie } = countValueSequences(
    NO_BETS,
    [4n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n, 1n],
    true,
  );
  const profit = parseOdds(pays)?.profit ?? { num: 0, den: 1 };
  return exactFraction(
    player + banker - (tie * BigInt(profit.num)) / BigInt(profit.den),
    player + banker + tie,
  );
}

/** Returns banker wins minus player wins over a whole shoe, at the mean number of cards a coup. */
function bankerSurplus(decks: number): ExactFraction {
  const { outcomes, cards } = oddsOf(NO_BETS, decks);
  // In as many coups as there are sequences.
  const dealt = cards[4] * 4n + cards[5] * 5n + cards[6] * 6n;
  return exactFraction((outcomes.banker - outcomes.player) * BigInt(52 * decks), dealt);
}

function figure(readAs: string, decks: string, pays: string): ExactFraction {
  const [measure, outcome] = readAs.split(', ') as [string, string];
  switch (measure) {
    case 'edge':
      return decks === 'no limit'
        ? tieEdgeWithoutLimit(pays)
        : betAt(outcome, pays, Number(decks)).edge;
    case 'edge per decided bet':
      return betAt(outcome, pays, Number(decks)).edgePerDecided as ExactFraction;
    case 'probability': {
      const { total, outcomes } = oddsOf(NO_BETS, Number(decks));
      return exactFraction(outcomes[outcome as Facts['winner']], total);
    }
    case 'banker wins above player wins':
      return bankerSurplus(Number(decks));
    default:
      throw new Error(`nothing is computed for "${readAs}"`);
  }
}

/** Returns what the page must say about a printed percentage, given how it was read. */
function verdictOn(printed: string, readAs: string, exact: ExactFraction): string {
  const digits = printed.replace(' %', '').split('.')[1]?.length ?? 0;
  if (percent(exact, digits) !== printed.replace(' %', '')) return 'wrong';
  return readAs.includes('per decided bet') ? 'exact per decided bet' : 'rounded';
}

describe('the page of odds', () => {
  it.each(tableOf('decks', 'all sequences'))(
    'has the exact counts of %s decks',
    (decks, ...counts) => {
      const { total, outcomes } = oddsOf(NO_BETS, Number(decks));
      const grouped = (count: bigint) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
      expect(counts).toEqual([total, outcomes.banker, outcomes.player, outcomes.tie].map(grouped));
    },
  );

  const figures = tableOf('seed', 'printed', 'read as');

  it.each(figures.filter(([, printed]) => printed?.endsWith('%')))(
    'has the right figure for seed %s, %s as %s, %s decks %s: %s is %s',
    (...[, printed = '', readAs = '', decks = '', pays = '', exact, verdict]) => {
      const computed = figure(readAs, decks, pays);
      expect([exact, verdict]).toEqual([
        `${percent(computed, 6)} %`,
        verdictOn(printed, readAs, computed),
      ]);
    },
  );

  it.each(figures.filter(([, printed]) => !printed?.endsWith('%')))(
    'has the right figure for seed %s, %s as %s, %s decks',
    (...[, printed, readAs = '', decks = '', , exact, verdict]) => {
      const computed = figure(readAs, decks, '');
      const threeToFour = computed.num >= 3n * computed.den && computed.num <= 4n * computed.den;
      expect([printed, exact, verdict]).toEqual([
        'three to four',
        decimal(computed, 6),
        threeToFour ? 'rounded' : 'wrong',
      ]);
    },
  );

  it.each(tableOf('seed', 'printed', 'bet'))(
    'has the right odds for seed %s, %s on %s, %s decks, %s: profit %s, edge %s',
    (...[, printed = '', bet = '', decks = '', pays = '', profit, edge]) => {
      const choice = printed.endsWith('options drawn')
        ? ('draw' as const)
        : printed.endsWith('options stood')
          ? ('stand' as const)
          : undefined;
      const odds = betAt(bet, pays, Number(decks), choice === undefined ? {} : { choice });
      const sequences = odds.win + odds.push + odds.lose;
      const won = exactFraction(
        odds.expected.num * sequences + odds.lose * odds.expected.den,
        odds.expected.den * odds.win,
      );
      expect([profit, edge]).toEqual([
        decimal(won, 2).replace(/\.00$/, ''),
        `${percent(odds.edge, 6)} %`,
      ]);
    },
  );

  it('has a row for every figure of the seeds', () => {
    const printed = new Set(figures.map(([seed, each]) => `${seed} ${each}`));
    expect([...printed]).toEqual([
      '000 1.17 %',
      '000 1.36 %',
      '000 14.12 %',
      '000 three to four',
      '003 45.86 %',
      '003 44.62 %',
      '003 9.52 %',
      '003 1.24 %',
      '003 1.06 %',
      '003 4.9 %',
    ]);
  });
});

describe('what the page says in words', () => {
  const decks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  const edges = (outcome: string, pays: string, digits: number) =>
    decks.map((each) => percent(betAt(outcome, pays, each).edge, digits));

  it('names 14.12 as the tie edge of no shoe of 1 to 12 decks, and twelve decks as the nearest', () => {
    const tie = edges('tie', '8 to 1', 2);
    expect(tie).not.toContain('14.12');
    expect(
      [...tie].sort((a, b) => Math.abs(Number(a) - 14.12) - Math.abs(Number(b) - 14.12))[0],
    ).toBe(tie[11]);
  });

  it('names 4.9 as the tie edge at 9 to 1 of six and seven decks only, and 4.8 of eight', () => {
    const tie = edges('tie', '9 to 1', 1);
    expect(decks.filter((each) => tie[each - 1] === '4.9')).toEqual([6, 7]);
    expect(tie[7]).toBe('4.8');
  });

  it('has an edge of 1.37 on decided player bets with six decks', () => {
    expect(percent(betAt('player', '1 to 1', 6).edgePerDecided as ExactFraction, 2)).toBe('1.37');
  });

  it('expects three and four more banker wins after 243 and 324 coups, and not two after 104', () => {
    const { total, outcomes } = oddsOf(NO_BETS, 8);
    const surplus = outcomes.banker - outcomes.player;
    const coupsFor = (more: bigint) => (more * total + surplus - 1n) / surplus;
    expect([coupsFor(3n), coupsFor(4n), 416n / 4n]).toEqual([243n, 324n, 104n]);
    expect(104n * surplus < 2n * total).toBe(true);
    expect(page).toMatch(
      /104 coups[^.]*[\s\S]*It takes 243 coups to\s+expect three more, and 324 to expect four/,
    );
  });

  it('has a banker bet without commission that favors the patron', () => {
    expect(betAt('banker', '1 to 1', 8).edge.num < 0n).toBe(true);
    expect(betAt('player', '1 to 1', 8).edge.num > 0n).toBe(true);
  });
});
