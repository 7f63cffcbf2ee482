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

/** Severities in a word; the totals at the end explain each. */
export const SEVERITY_WORDS: Readonly<
  Record<Severity, { readonly word: string; readonly meaning: string }>
> = {
  1: { word: 'grave', meaning: 'money or result wrong now' },
  2: { word: 'serious', meaning: 'a rule broken, the result possibly right' },
  3: { word: 'minor', meaning: 'procedure, or the quality of the record' },
  4: { word: 'notice', meaning: 'only statistics show it' },
};

/** A severity's word in its colour, set in a column of `width`. */
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

/** What a known slip is, in words. */
export const SLIP_WORDS: Readonly<Record<Slip, string>> = {
  'odds-read-as-for':
    'the odds were read as "for" where the layout says "to", or the other way round: one stake more or less',
  'wrong-tier': 'another payout of the same bet was made',
  'commission-netted': 'the commission was kept back from the payout',
  'wrong-rounding': 'the payout was rounded another way than the rules say',
  'stake-counted-as-winnings': 'the stake was counted as a part of the winnings',
};

/** What is to be done about an irregularity, in words. */
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

/** A card as it is drawn: `10♥`; `??` for one that was not read. */
export const cardText = (card: Card | null): string =>
  card === null ? '??' : `${card[0] === 'T' ? '10' : card[0]}${SUITS[card[1] as string]}`;

/** A card in colour, set in a column of `width`; hearts and diamonds are red. */
export function cardInColour(card: Card | null, width: number): string {
  const text = cardText(card).padEnd(width);
  return card && 'HD'.includes(card[1] as string) ? colours.red(text) : colours.bold(text);
}

/** A text with the cards in it drawn, where its finding's code is one that names cards. */
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

/** What was expected or observed, cards drawn and amounts in money; odds in brackets are no amounts. */
export function seen(text: string, { code }: Finding, currency: string): string {
  const { values } = CATALOGUE[code];
  if (values === 'actions') return actionsInWords(text.replace(/^no (?=[a-z])/, 'not done: '));
  if (currency === '' || values !== 'amounts') return withCards(text, code);
  return text.replace(/\([^)]*\)|(?<![-\w@.])\d+(?![-\w.])/g, (found) =>
    found.startsWith('(') ? found : moneyText(Number(found), currency),
  );
}

/** A finding's sentence: cards drawn, and every number but the seat's an amount in money. */
export function sentence({ message, code, seat }: Finding, currency: string): string {
  const { values } = CATALOGUE[code];
  // What was due and what was done stand below it.
  if (values === 'actions')
    return message.replace(/ prescribe .*$/, ' prescribe something else than was done.');
  if (currency === '' || seat === undefined || values !== 'amounts')
    return withCards(message, code);
  return message.replace(/(?<![-\w@.])(?<!\bseat )\d+(?![-\w])/gi, (found) =>
    moneyText(Number(found), currency),
  );
}
