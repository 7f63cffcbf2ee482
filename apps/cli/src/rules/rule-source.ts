import { CATALOGUE, moneyText, type AuditedCoup, type Finding, type FindingCode } from '#audit';
import {
  burnInWords,
  exactFraction,
  parseDecimal,
  percent,
  sourcesAt,
  STOOD,
  totalOf,
  valueOf,
  type Card,
  type RuleDocument,
  type Rules,
  type SourceOfValue,
} from '#baccarat';
import { colours } from '../terminal/colours.js';

/** The rule that was broken, and where it is written. */
export interface RuleText {
  /** Lines of words, or of a table. */
  readonly rule: readonly string[];
  /**
   * The document and its sources with section and edition. Absent if `rule` itself names its
   * source.
   */
  readonly source?: string;
}

/**
 * Returns the rule behind a finding, from the document that the finding names. Rules that documents
 * do not state come from `GENERAL`.
 */
export function ruleOf(
  finding: Finding,
  rules: Rules,
  coup: AuditedCoup | undefined,
  currency: string,
): RuleText {
  const part = partOf(finding, rules, currency);
  if (!part)
    return {
      rule: [`${GENERAL[finding.code] ?? 'general procedure'} (docs/findings.md, ${finding.code})`],
    };
  return {
    rule: part.words(coup),
    source: `${rules.ref}, ${rules.document.title}: ${sourcesAt(rules.document, part.pointer).map(sourceText).join('; ')}`,
  };
}

/** Rules that every document assumes, or that are about the record itself. */
const GENERAL: Partial<Record<FindingCode, string>> = {
  'SH-02': 'a shoe holds each card once for every deck',
  'SH-04': 'the cards drawn and those that remain make up the decks',
  'SH-10': 'a shoe is closed, with a reason, before another is opened',
  'SH-13': 'a shoe does not run out of cards inside a coup',
  'DL-01': 'no game card is drawn before betting has closed',
  'DL-02': 'the first four cards go player, banker, player, banker',
  'DL-04': 'each hand has at least two cards',
  'DL-05': 'a card that is due comes unseen',
  'DL-06': 'no card is drawn when none is due',
  'DL-07': 'no card is drawn when none is due',
  'DL-10': 'a coup is dealt only if there is a bet',
  'DL-11': 'no card leaves the shoe outside the game while a coup is open',
  'DL-15': 'a card goes to a hand only inside a coup of an open shoe',
  'DL-16': 'the coups of a shoe are numbered 1, 2, 3 and so on',
  'RS-01': 'a total is the last digit of the sum of the cards',
  'RS-02': 'the hand nearer nine wins; equal totals tie',
  'RS-03': 'the hand nearer nine wins; equal totals tie',
  'RS-07': 'a coup ends with an outcome',
  'RS-08': 'a declared outcome changes only when the cards do',
  'RS-09': 'a coup is voided with a reason, by somebody who did not deal it',
  'BT-01': 'no bet is placed or withdrawn once betting has closed',
  'BT-02': 'the limits named when the shoe was opened',
  'BT-03': 'the limits named when the shoe was opened',
  'BT-07': 'no bet is taken on a dummy, demonstration or free coup',
  'BT-08': 'the stakes of a coup that does not count are returned before the next',
  'PY-06': 'only a bet that was placed in time is settled',
  'PY-07': 'bets are settled after the outcome',
  'PY-10': 'bets are settled before the coup closes',
  'CM-06': 'no more commission is collected or waived than is outstanding',
  'CM-08': 'commission is waived with a reason, by somebody who did not deal',
  'DV-01': 'every card is read',
  'DV-04': "every number of a device's session arrives",
  'DV-06': 'the device of the cards sees every card',
  'DV-11': 'cards are recorded by a device',
  'DV-15': 'a number, or an id, belongs to one content',
  'PR-01': 'a dealer is signed on while cards are dealt',
  'PR-04': 'a change of the record names a person, who is not the dealer of the coup',
  'PR-07': 'what the rule document prescribes is done, and nothing else',
  'PR-09': 'an event refers to the open shoe or the one before',
  'PR-10': 'who voids, moves, corrects or waives sends it under their own name',
};

interface RulePart {
  readonly pointer: string;
  readonly words: (coup: AuditedCoup | undefined) => readonly string[];
}

/**
 * Returns where a document states the rule behind a finding, and the rule in words. Returns
 * undefined if it does not state it.
 */
function partOf(finding: Finding, rules: Rules, currency: string): RulePart | undefined {
  const { document } = rules;
  const { rule } = CATALOGUE[finding.code];
  const at = (...words: string[]): RulePart => ({ pointer: rule ?? '', words: () => words });
  switch (rule) {
    case null:
      return undefined;
    case '/tableau':
      return { pointer: rule, words: (coup) => tableauRow(finding.code, document, coup) };
    case '/bets/pays':
      return betPart(finding, document);
    case '/commission/rate':
    case '/commission/rounding':
    case '/commission/when':
      return commissionPart(document, rule, currency);
    case '/bets':
      return at(`the bets are ${document.bets.map(({ id }) => id).join(', ') || 'none'}`);
    case '/specials':
      return at(`announced with a result: ${document.specials.join(', ') || 'nothing'}`);
    case '/burn':
      return at(`burn: ${document.burn.map(burnInWords).join(' or ')}`);
    case '/cutCard':
      return at(
        `after the cut card: ${document.cutCard.insideCoup} more when it shows inside a coup, ${document.cutCard.betweenCoups} when between coups`,
      );
    case '/decks':
      return at(`${document.decks.join(' or ')} decks`);
  }
}

const commissionPart = (
  { commission }: RuleDocument,
  pointer: string,
  currency: string,
): RulePart | undefined =>
  commission && { pointer, words: () => [commissionText(commission, currency)] };

/** Describes commission: `5 % of the winnings, marked, rounded to 0.01 USD (half-up)`. */
function commissionText(
  { rate, when, rounding, minimum }: NonNullable<RuleDocument['commission']>,
  currency: string,
): string {
  const money = (amount: number): string =>
    currency === '' ? `${amount} minor units` : moneyText(amount, currency);
  const exact = parseDecimal(rate);
  const share = exact
    ? `${percent(exactFraction(BigInt(exact.num), BigInt(exact.den)), 4).replace(/\.?0+$/, '')} %`
    : rate;
  return `${share} of the winnings, ${when}, rounded to ${money(rounding.unit)} (${rounding.mode})${minimum === undefined ? '' : `, at least ${money(minimum)}`}`;
}

/** Returns what the settled bet pays. */
function betPart({ bet: id }: Finding, { bets }: RuleDocument): RulePart | undefined {
  const at = bets.findIndex((bet) => bet.id === id);
  const bet = bets[at];
  return (
    bet && {
      pointer: `/bets/${at}`,
      words: () => [
        `${bet.title ?? bet.id} pays ${bet.pays.map(({ odds }) => odds).join(', ')}${bet.commission ? ', less commission' : ''}`,
      ],
    }
  );
}

const LETTERS: Readonly<Record<string, string>> = { D: 'draw', S: 'stand', O: 'optional' };

/** Returns the deciding row of the tableau as rule books print it, with a mark at its cell. */
function tableauRow(
  code: FindingCode,
  { tableau }: RuleDocument,
  coup: AuditedCoup | undefined,
): string[] {
  const hand = (name: 'player' | 'banker'): Card[] =>
    (coup?.detail.cards ?? []).flatMap(({ card, to }) => (to === name && card ? [card] : []));
  if (code === 'TC-01' || code === 'TC-02')
    return ["a total of 8 or 9 on either hand's first two cards ends the drawing"];
  if (code === 'TC-09') return ['the player hand draws before the banker hand'];
  if (code === 'TC-11') return ['a hand has at most three cards'];
  if (code === 'TC-03' || code === 'TC-04') {
    const total = totalOf(hand('player').slice(0, 2));
    return grid(
      'player has',
      Array.from(tableau.player),
      ['0', '1', '2', '3', '4', '5', '6', '7'],
      total,
    );
  }
  const total = totalOf(hand('banker').slice(0, 2));
  const third = hand('player')[2];
  const cells = Array.from((tableau.banker[total] ?? '').replace(' ', ''));
  if (cells.length === 0) return ['drawing table'];
  const column = code === 'TC-05' || code === 'TC-06' || !third ? STOOD : valueOf(third);
  return grid(
    `banker has ${total}, third card`,
    cells,
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'stood'],
    column,
  );
}

function grid(
  label: string,
  cells: readonly string[],
  heads: readonly string[],
  at: number,
): string[] {
  const indent = ' '.repeat(label.length);
  return [
    `${label}  ${heads.join(' ')}`,
    `${indent}  ${cells.map((cell, i) => (i === at ? colours.bold(colours.red(cell)) : cell)).join(' ')}`,
    `${indent}  ${' '.repeat(at * 2)}▲ ${LETTERS[cells[at] ?? ''] ?? ''}`,
  ];
}

const sourceText = ({ title, section, edition, provisional }: SourceOfValue): string =>
  `${title}, ${section} (${edition})${provisional ? ' (provisional)' : ''}`;
