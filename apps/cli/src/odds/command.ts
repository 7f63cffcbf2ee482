import { Command, InvalidArgumentError, Option } from 'commander';
import {
  exactFraction,
  OddsRefusal,
  oddsReport,
  percent,
  type BetReport,
  type Choice,
  type OddsReport,
  type Rules,
} from '#baccarat';
import { colours } from '../terminal/colours.js';
import { grid } from '../terminal/grid.js';
import { installedRules, rulesNamed } from '#rule-folder';
import { BufferedOutput } from '../terminal/page.js';
import { Refusal } from '../refusal.js';

interface OddsOptionsAsked {
  readonly decks: number;
  readonly rules: string;
  readonly choice?: Choice;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  shoeprint odds                                          eight decks, punto-banco@1
  shoeprint odds --decks 6 --rules ez-baccarat@1          other decks, other rules
  shoeprint odds --rules chemin-de-fer@1 --choice stand   what hands that may choose do
  shoeprint odds --json                                   counts as decimal strings`;

/**
 * Returns the command `shoeprint odds`: exact probabilities and edges of every bet (contract
 * section 6).
 */
export const oddsCommand = (): Command =>
  new Command('odds')
    .description('exact odds of every bet from a new shoe, by counting every coup')
    .option('--decks <n>', 'decks in the shoe, 1 to 12', decksAsked, 8)
    .option('--rules <document>', 'rule document, id@version', 'punto-banco@1')
    .addOption(
      new Option('--choice <move>', 'what a hand does if the rules leave it a choice').choices([
        'draw',
        'stand',
      ]),
    )
    .option('--json', 'print one JSON object for programs')
    .addHelpText('after', EXAMPLES)
    .action(runOdds);

function decksAsked(text: string): number {
  if (!/^\d+$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 12.');
  return Number(text);
}

async function runOdds({ decks, rules: name, choice, json }: OddsOptionsAsked): Promise<void> {
  const rules = rulesNamed(installedRules(), name);
  const page = new BufferedOutput();
  const report = reportOf(rules, decks, choice);
  await page.lines(...(json ? [JSON.stringify(report)] : oddsLines(report, rules)));
  await page.flush();
}

function reportOf(rules: Rules, decks: number, choice: Choice | undefined): OddsReport {
  try {
    return oddsReport(rules, decks, choice === undefined ? {} : { choice });
  } catch (error) {
    if (error instanceof OddsRefusal) throw new Refusal(error.message);
    throw error;
  }
}

function oddsLines(report: OddsReport, rules: Rules): string[] {
  const { decks, outcomes, total, choice, bets } = report;
  const share = (count: string): string =>
    `${percent(exactFraction(BigInt(count), BigInt(total)), 6)} %`;
  const ids = Object.keys(bets);
  return [
    colours.bold(`${rules.ref}  ${rules.document.title}`),
    `${decks} ${decks === 1 ? 'deck' : 'decks'}, a new shoe${choice ? `, hands that may choose ${choice}` : ''}; every count is exact, of all ordered draws of six cards`,
    '',
    ...grid(
      ['outcome', 'count', 'probability'],
      [
        ...(['banker', 'player', 'tie'] as const).map((name) => [
          name,
          grouped(outcomes[name]),
          share(outcomes[name]),
        ]),
        ['all', grouped(total), ''],
      ],
    ),
    '',
    ...(ids.length === 0
      ? ['These rules have no bets.']
      : [
          ...grid(
            ['bet', 'pays', 'wins', 'pushes', 'loses', 'house edge', 'per decided'],
            ids.map((id) => betRow(id, bets[id] as BetReport, rules, share)),
          ),
          '',
          'House edge: the share of a unit staked that the house keeps, after commission; per decided: pushes left out.',
        ]),
  ];
}

function betRow(
  id: string,
  { win, push, lose, edge, edgePerDecided, tiers }: BetReport,
  rules: Rules,
  share: (count: string) => string,
): string[] {
  const odds = [...new Set(tiers.map((tier) => tier.odds))];
  const pays = odds.length > 3 ? `${odds.slice(0, 2).join(', ')}, …` : odds.join(', ');
  return [
    id,
    `${pays}${rules.bets.get(id)?.commission ? ' less commission' : ''}`,
    share(win),
    share(push),
    share(lose),
    edgeText(edge),
    edgePerDecided === undefined ? '' : edgeText(edgePerDecided),
  ];
}

/**
 * Formats a decimal share as a percentage with four digits. Rounds the report's twelve digits as
 * everything else is rounded.
 */
function edgeText(edge: string): string {
  const [whole = '0', fraction = ''] = edge.replace('-', '').split('.');
  const value = exactFraction(
    BigInt(`${edge.startsWith('-') ? '-' : ''}${whole}${fraction}`),
    10n ** BigInt(fraction.length),
  );
  return `${percent(value, 4)} %`;
}

const grouped = (count: string): string => count.replace(/\B(?=(\d{3})+$)/g, ',');
