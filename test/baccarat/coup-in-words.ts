import { isCard, type Card, type Hands } from '#baccarat';

/** Parses the cards of one hand, for example `9S 4D 8C`. */
export function cards(text: string): Card[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((name) => {
      if (!isCard(name)) throw new Error(`no card: ${name}`);
      return name;
    });
}

/** Parses the two hands of a coup: `P 9S 4D 8C  B KH 6S 2D`. */
export function coup(text: string): Hands {
  const match = /^P(.*?)\s+B(.*)$/.exec(text);
  if (!match) throw new Error(`no coup: ${text}`);
  return { player: cards(match[1] as string), banker: cards(match[2] as string) };
}

/** A card of each value 0 to 9, for hands in which only the values matter. */
export const OF_VALUE: readonly Card[] = [
  'KS',
  'AH',
  '2D',
  '3C',
  '4S',
  '5H',
  '6D',
  '7C',
  '8S',
  '9H',
];
