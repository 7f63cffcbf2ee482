import {
  bankerCell,
  endsDrawing,
  playerCell,
  STOOD,
  totalOf,
  valueOf,
  type Card,
  type Cell,
} from '#baccarat';
import { Dealing, dealLawfully } from '../coup/dealing.js';
import type { CoupFault } from './fault.js';
import type { Setting } from '../setting.js';

/**
 * The first four cards as they must be laid, and what the tableau says of them. `undefined` if
 * cards are missing.
 */
interface Start {
  readonly coup: Dealing;
  /** Whether a natural ends the drawing. */
  readonly natural: boolean;
  readonly player: Cell;
  /** Returns what the banker hand does against this third card, or against a player who stood. */
  readonly banker: (third?: Card) => Cell;
}

function start(top: readonly Card[], { rules }: Setting): Start | undefined {
  const coup = new Dealing(top);
  for (const hand of ['player', 'banker', 'player', 'banker'] as const)
    if (!coup.lay(hand)) return undefined;
  const [player, banker] = [totalOf(coup.player), totalOf(coup.banker)];
  return {
    coup,
    natural: endsDrawing(player, banker),
    player: playerCell(rules.tableau, player),
    banker: (third) =>
      bankerCell(rules.tableau, banker, third === undefined ? STOOD : valueOf(third)),
  };
}

/**
 * Returns a fault in drawing third cards, from the first four cards. `spoil` returns `undefined` if
 * they do not suit.
 */
const drawing = (spoil: (dealt: Start) => Dealing | undefined): CoupFault => ({
  at: 'coup',
  deal: (top, setting) => {
    const dealt = start(top, setting);
    return dealt && spoil(dealt);
  },
});

const draws = (coup: Dealing, hand: 'player' | 'banker'): Dealing | undefined =>
  coup.lay(hand) ? coup.blameLast() : undefined;

/**
 * Lets the banker hand act correctly against the player's third card, or against a player who
 * stood.
 */
function bankerFollows(coup: Dealing, cell: Cell): Dealing | undefined {
  return cell !== 'draw' || coup.lay('banker') ? coup : undefined;
}

/** The faults of drawing that can be simulated, by the code that finds them. */
export const FAULTS_OF_DRAWING = {
  'TC-01': drawing(({ coup, natural }) => (natural ? draws(coup, 'player') : undefined)),
  'TC-02': drawing(({ coup, natural }) => (natural ? draws(coup, 'banker') : undefined)),
  'TC-03': drawing(({ coup, natural, player, banker }) =>
    natural || player !== 'draw' ? undefined : bankerFollows(coup, banker()),
  ),
  'TC-04': drawing(({ coup, natural, player, banker }) => {
    if (natural || player !== 'stand' || !draws(coup, 'player')) return undefined;
    return bankerFollows(coup, banker(coup.player[2]));
  }),
  'TC-05': drawing(({ coup, natural, player, banker }) =>
    natural || player === 'draw' || banker() !== 'draw' ? undefined : coup,
  ),
  'TC-06': drawing(({ coup, natural, player, banker }) =>
    natural || player === 'draw' || banker() !== 'stand' ? undefined : draws(coup, 'banker'),
  ),
  'TC-07': drawing(({ coup, natural, player, banker }) => {
    if (natural || player === 'stand' || !coup.lay('player')) return undefined;
    return banker(coup.player[2]) === 'draw' ? coup : undefined;
  }),
  'TC-08': drawing(({ coup, natural, player, banker }) => {
    if (natural || player === 'stand' || !coup.lay('player')) return undefined;
    return banker(coup.player[2]) === 'stand' ? draws(coup, 'banker') : undefined;
  }),
  'TC-09': drawing(({ coup, natural, player, banker }) => {
    if (natural || player !== 'draw' || !draws(coup, 'banker') || !coup.lay('player'))
      return undefined;
    return banker(coup.player[2]) === 'stand' ? undefined : coup;
  }),
  'TC-11': {
    at: 'coup',
    deal: (top, { rules }, random) => {
      const coup = dealLawfully(top, rules, random);
      const full = (['player', 'banker'] as const).filter((hand) => coup[hand].length === 3);
      return full.length > 0 ? draws(coup, random.pick(full)) : undefined;
    },
  },
} as const satisfies Record<string, CoupFault>;
