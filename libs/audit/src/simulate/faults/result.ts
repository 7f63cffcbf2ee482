import type { EventData } from '../../events/events.js';
import type { CoupFault } from './fault.js';
import {
  insertBefore,
  isOf,
  placeOf,
  planStep,
  type Play,
  type PlannedStep,
} from '../coup/script.js';
import { cancelCoup } from '../coup/voiding.js';

type Declared = EventData['outcome-declared'];

const declaration = (play: Play, by: Declared['by']): PlannedStep =>
  play.steps[
    placeOf(play, (each) => each.type === 'outcome-declared' && (each.data as Declared).by === by)
  ] as PlannedStep;

const otherThan = ({ random }: Play, outcome: Declared['outcome']): Declared['outcome'] =>
  random.pick((['player', 'banker', 'tie'] as const).filter((other) => other !== outcome));

/** A fault: somebody declares another outcome than the cards make. */
const wrongOutcome = (by: Declared['by']): CoupFault => ({
  at: 'coup',
  spoil: (play) => {
    const declared = declaration(play, by);
    const data = declared.data as Declared;
    declared.data = { ...data, outcome: otherThan(play, data.outcome) };
  },
});

/** The faults of results that can be simulated, by the code that finds them. */
export const FAULTS_OF_RESULT = {
  'RS-01': {
    at: 'coup',
    spoil: (play) => {
      const hand = play.random.pick(['player', 'banker'] as const);
      const call = play.steps[
        placeOf(
          play,
          ({ type, data }) =>
            type === 'hand-called' && (data as EventData['hand-called']).hand === hand,
        )
      ] as PlannedStep;
      const { total } = call.data as EventData['hand-called'];
      call.data = { hand, total: (total + play.random.between(1, 9)) % 10 };
    },
  },
  'RS-02': wrongOutcome('dealer'),
  'RS-03': wrongOutcome('device'),
  'RS-05': {
    at: 'coup',
    spoil: (play) => {
      const declared = declaration(play, 'dealer');
      const data = declared.data as Declared & { readonly specials: readonly string[] };
      declared.data = {
        ...data,
        specials: data.specials.length > 0 ? data.specials.slice(1) : ['natural'],
      };
    },
  },
  'RS-07': {
    at: 'coup',
    spoil: ({ steps }) => {
      for (let at = steps.length - 1; at >= 0; at -= 1)
        if (isOf('outcome-declared')(steps[at] as PlannedStep)) steps.splice(at, 1);
    },
  },
  // Of two different outcomes declared on the same cards, one is wrong: the dealer's first.
  'RS-08': {
    at: 'coup',
    entails: ['RS-02'],
    spoil: (play) => {
      const right = declaration(play, 'dealer');
      const data = right.data as Declared;
      const first = planStep(
        'terminal',
        'outcome-declared',
        { ...data, outcome: otherThan(play, data.outcome) },
        1500,
      );
      insertBefore(play, (each) => each === right, first);
    },
  },
  'RS-09': {
    at: 'coup',
    spoil: (play) => {
      const reason = 'cards disputed';
      cancelCoup(
        play,
        play.random.pick([{ reason }, { by: play.supervisor }, { reason, by: play.dealer }]),
      );
    },
  },
} as const satisfies Record<string, CoupFault>;
