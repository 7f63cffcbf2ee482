import { due } from '#baccarat';
import { Dealing, dealLawfully, dealOn, type Draw } from '../coup/dealing.js';
import { needsBets, type CoupFault } from './fault.js';
import { beyondDoubtMs, isOf, placeOf, type Play, type PlannedStep } from '../coup/script.js';

/** A fault: one card too many, laid nowhere. */
const excess = (exposed: boolean): CoupFault => ({
  at: 'coup',
  deal: (top, { rules }, random) => {
    const coup = dealLawfully(top, rules, random);
    // If the hands leave a choice open, the card would count as drawn by choice.
    if (due(coup, rules).step === 'card' || !coup.lay(null, exposed ? { exposed } : {}))
      return undefined;
    return coup.blameLast();
  },
});

/** Returns whether the document has a disposition for a card that lay face up. */
const knowsExposedCards = ({ rules }: Play['setting']): string | undefined =>
  rules.irregularities.some(({ codes }) => codes.includes('DL-05'))
    ? undefined
    : `${rules.ref} says nothing of cards that lie face up`;

/** A fault: one of the due cards lies face up. */
const exposed: CoupFault = {
  at: 'coup',
  impossible: knowsExposedCards,
  deal: (top, { rules }, random) => {
    const coup = dealLawfully(top, rules, random);
    coup.faultyDraw = random.below(coup.draws.length);
    (coup.draws[coup.faultyDraw] as Draw).exposed = true;
    return coup;
  },
};

/** The faults of dealing that can be simulated, by the code that finds them. */
export const FAULTS_OF_DEALING = {
  'DL-01': {
    at: 'coup',
    spoil: (play) => {
      const closing = play.steps.splice(placeOf(play, isOf('betting-closed')), 1)[0] as PlannedStep;
      const first = placeOf(play, isOf('card-drawn'));
      closing.waitMs = beyondDoubtMs(play);
      play.steps.splice(first + 1, 0, closing);
    },
  },
  'DL-02': {
    at: 'coup',
    deal: (top, { rules }, random) => {
      const coup = new Dealing(top);
      coup.lay('player');
      coup.lay('player');
      coup.blameLast('banker');
      for (const hand of ['banker', 'banker'] as const) coup.lay(hand);
      return dealOn(coup, rules, random);
    },
  },
  'DL-04': {
    at: 'coup',
    deal: (top) => {
      const coup = new Dealing(top);
      for (const hand of ['player', 'banker', 'player'] as const) coup.lay(hand);
      coup.unfinished = true;
      return coup;
    },
  },
  'DL-05': exposed,
  'DL-06': excess(false),
  'DL-07': excess(true),
  'DL-10': { at: 'coup', impossible: needsBets, bet: () => [] },
  'DL-11': {
    at: 'coup',
    deal: (top, { rules }, random) => {
      const coup = dealLawfully(top, rules, random);
      return coup.lay(null, { out: true }) ? coup : undefined;
    },
  },
  'DL-15': {
    at: 'coup',
    outsideCoup: true,
    deal: (top, { rules }, random) => {
      const coup = dealLawfully(top, rules, random);
      return coup.lay(random.pick(['player', 'banker']), { afterCoup: true }) ? coup : undefined;
    },
  },
  // The number before is skipped where coups are numbered.
  'DL-16': { at: 'coup', needsCoupBefore: true, earliest: () => 2 },
} as const satisfies Record<string, CoupFault>;
