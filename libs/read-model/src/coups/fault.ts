import type { Finding, FindingCode } from '#audit';
import type { HandName } from '#baccarat';
import type { Steps } from './steps.js';

/** Where the fault of a finding lies: at a card that was drawn, or where a hand lacks one. */
export type CardFault =
  | { readonly is: 'card'; readonly ref: string }
  | { readonly is: 'missing'; readonly hand: HandName };

/**
 * Which of the cards that a finding names is wrong. `named`: the one that it names. `first`: the
 * first that it names; what it should have waited for comes after it. `fourth`: the last of the
 * four of its hand. `no third of player` and `no third of banker`: that card is missing. `no card`:
 * the card that is due is missing. `none`: no single card is wrong, although cards may be named.
 */
type Blame =
  'named' | 'first' | 'fourth' | 'no third of player' | 'no third of banker' | 'no card' | 'none';

const BLAMES: Readonly<Record<FindingCode, Blame>> = {
  'SH-02': 'named',
  'SH-04': 'none',
  'SH-06': 'none',
  'SH-07': 'none',
  'SH-09': 'none',
  'SH-10': 'none',
  'SH-13': 'none',
  'SH-19': 'none',
  'DL-01': 'named',
  'DL-02': 'named',
  'DL-04': 'no card',
  'DL-05': 'named',
  'DL-06': 'named',
  'DL-07': 'named',
  'DL-10': 'none',
  'DL-15': 'named',
  'DL-16': 'none',
  'TC-01': 'named',
  'TC-02': 'named',
  'TC-03': 'no third of player',
  'TC-04': 'named',
  'TC-05': 'no third of banker',
  'TC-06': 'named',
  'TC-07': 'no third of banker',
  'TC-08': 'named',
  'TC-09': 'first',
  'TC-11': 'fourth',
  'RS-01': 'none',
  'RS-02': 'none',
  'RS-03': 'none',
  'RS-05': 'none',
  'RS-07': 'none',
  'RS-08': 'none',
  'RS-09': 'none',
  'BT-01': 'none',
  'BT-02': 'none',
  'BT-03': 'none',
  'BT-07': 'none',
  'BT-08': 'none',
  'BT-10': 'none',
  'PY-01': 'none',
  'PY-02': 'none',
  'PY-03': 'none',
  'PY-04': 'none',
  'PY-05': 'none',
  'PY-06': 'none',
  'PY-07': 'none',
  'PY-10': 'none',
  'CM-01': 'none',
  'CM-02': 'none',
  'CM-03': 'none',
  'CM-04': 'none',
  'CM-05': 'none',
  'CM-06': 'none',
  'CM-08': 'none',
  'DV-01': 'named',
  'DV-04': 'none',
  'DV-11': 'named',
  'DV-15': 'named',
  'PR-01': 'named',
  'PR-04': 'none',
  'PR-07': 'none',
  'PR-09': 'none',
  'PR-10': 'none',
};

const THIRD = 3;
const FOURTH = 4;

/**
 * Returns where the fault of a standing finding lies among the cards of its coup, by its code. Null
 * if no single card is wrong: the finding is about something else, the card that was missing came
 * after all, or unread cards leave open which card it is.
 */
export function faultOf({ code, events }: Finding, { steps, then }: Cards): CardFault | null {
  const named = events.filter((event) => steps.some(({ ref }) => ref === event));
  const at = (ref: string | undefined): CardFault | null =>
    ref === undefined ? null : { is: 'card', ref };
  const lacksThird = (hand: HandName): CardFault | null =>
    steps.filter(({ to }) => to === hand).length < THIRD ? { is: 'missing', hand } : null;
  switch (BLAMES[code]) {
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

type Cards = Pick<Steps, 'then'> & {
  readonly steps: readonly Pick<Steps['steps'][number], 'ref' | 'to'>[];
};
