import { CATALOGUE, type Finding } from '#audit';
import type { HandName } from '#baccarat';
import type { Steps } from './steps.js';

/** Where the fault of a finding lies: at a card that was drawn, or where a hand lacks one. */
export type CardFault =
  | { readonly is: 'card'; readonly ref: string }
  | { readonly is: 'missing'; readonly hand: HandName };

const THIRD = 3;
const FOURTH = 4;

/**
 * Returns where the fault of a standing finding lies among the cards of its coup, by its code. Null
 * if no single card is wrong: the finding is about something else, the card that was missing came
 * after all, or unread cards leave open which card it is.
 */
export function faultOf({ code, events }: Named, { steps, then }: Cards): CardFault | null {
  const named = events.filter((event) => steps.some(({ ref }) => ref === event));
  const at = (ref: string | undefined): CardFault | null =>
    ref === undefined ? null : { is: 'card', ref };
  const lacksThird = (hand: HandName): CardFault | null =>
    steps.filter(({ to }) => to === hand).length < THIRD ? { is: 'missing', hand } : null;
  switch (CATALOGUE[code].wrongCard) {
    case 'named':
      return named.length === 1 ? at(named[0]) : null;
    case 'first':
      return at(named[0]);
    case 'fourth':
      return named.length === FOURTH ? at(named.at(-1)) : null;
    case 'no third of player':
      return lacksThird('player');
    case 'no third of banker':
      return lacksThird('banker');
    case 'no card': {
      const [due] = then;
      return due?.step === 'card' ? { is: 'missing', hand: due.to } : null;
    }
    case 'none':
      return null;
  }
}

type Named = Pick<Finding, 'code' | 'events'>;
type Cards = Pick<Steps, 'then'> & {
  readonly steps: readonly Pick<Steps['steps'][number], 'ref' | 'to'>[];
};
