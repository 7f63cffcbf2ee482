import {
  CATALOGUE,
  moneyText,
  type Finding,
  type FindingCode,
  type Severity,
  type Slip,
} from '#audit';
import { isCard, type Action, type Card } from '#baccarat';
import { colours } from '../terminal/colours.js';

/** One word per severity. The totals at the end explain each. */
export const SEVERITY_WORDS: Readonly<
  Record<Severity, { readonly word: string; readonly meaning: string }>
> = {
  1: { word: 'grave', meaning: 'money or result wrong now' },
  2: { word: 'serious', meaning: 'a rule broken, the result possibly right' },
  3: { word: 'minor', meaning: 'procedure, or the quality of the record' },
  4: { word: 'notice', meaning: 'only statistics show it' },
};

/** Returns a severity's word in its color, padded to `width`. */
export function severityText(severity: Severity, width = 0): string {
  const word = SEVERITY_WORDS[severity].word.padEnd(width);
  switch (severity) {
    case 1:
      return colours.bold(colours.red(word));
    case 2:
      return colours.yellow(word);
    case 3:
    case 4:
      return colours.cyan(word);
  }
}

/** Describes each known slip. */
export const SLIP_WORDS: Readonly<Record<Slip, string>> = {
  'odds-read-as-for':
    'the odds were read as "for" where the layout says "to", or the other way round: one stake more or less',
  'wrong-tier': 'another payout of the same bet was made',
  'commission-netted': 'the commission was kept back from the payout',
  'wrong-rounding': 'the payout was rounded another way than the rules say',
  'stake-counted-as-winnings': 'the stake was counted as a part of the winnings',
};

/** Describes each action against an irregularity. */
export const ACTION_WORDS: Readonly<Record<Action, string>> = {
  'move-to-player': 'move the card to the player hand',
  'move-to-banker': 'move the card to the banker hand',
  'carry-over': 'keep the card as the first of the next coup',
  burn: 'burn the card',
  discard: 'discard the card',
  'this-coup-dummy': 'play this coup as a dummy',
  'next-coup-dummy': 'play the next coup as a dummy',
  'draw-now': 'draw the missing card now',
  'void-coup': 'declare the coup void',
  'void-shoe': 'close the shoe',
  settle: 'settle the coup as it lies',
};

const SUITS: Readonly<Record<string, string>> = { S: '♠', H: '♥', D: '♦', C: '♣' };

/** Renders a card: `10♥`, or `??` if it was not read. */
export const cardText = (card: Card | null): string =>
  card === null ? '??' : `${card[0] === 'T' ? '10' : card[0]}${SUITS[card[1] as string]}`;

/** Renders a card in color, padded to `width`. Hearts and diamonds are red. */
export function cardInColour(card: Card | null, width: number): string {
  const text = cardText(card).padEnd(width);
  return card && 'HD'.includes(card[1] as string) ? colours.red(text) : colours.bold(text);
}

/** Renders the cards in a text, if the finding's code is one that names cards. */
const withCards = (text: string, code: FindingCode): string =>
  CATALOGUE[code].values === 'cards'
    ? text.replace(/(?<![\w/#-])[A2-9TJQK][SHDC](?![\w/#-])/g, (card) =>
        isCard(card) ? cardText(card) : card,
      )
    : text;

const actionsInWords = (text: string): string =>
  text
    .split(/([a-z-]+)/)
    .map((word) => ACTION_WORDS[word as Action] ?? word)
    .join('');

/**
 * Renders what was expected or observed, with cards and amounts of money. Odds in brackets are not
 * amounts.
 */
export function seen(text: string, { code }: Finding, currency: string): string {
  const { values } = CATALOGUE[code];
  if (values === 'actions') return actionsInWords(text.replace(/^no (?=[a-z])/, 'not done: '));
  if (currency === '' || values !== 'amounts') return withCards(text, code);
  return text.replace(/\([^)]*\)|(?<![-\w@.])\d+(?![-\w.])/g, (found) =>
    found.startsWith('(') ? found : moneyText(Number(found), currency),
  );
}

/**
 * Renders a finding's sentence, with cards. Every number except the seat's is an amount of money.
 */
export function sentence({ message, code, seat }: Finding, currency: string): string {
  if (currency === '' || seat === undefined || CATALOGUE[code].values !== 'amounts')
    return withCards(message, code);
  return message.replace(/(?<![-\w@.])(?<!\bseat )\d+(?![-\w])/gi, (found) =>
    moneyText(Number(found), currency),
  );
}
