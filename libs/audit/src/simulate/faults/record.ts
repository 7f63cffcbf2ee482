import { dealLawfully, type Draw } from '../coup/dealing.js';
import { codesWhere, type Loss } from '../../findings/catalogue.js';
import type { EventData } from '../../events/events.js';
import type { CoupFault } from './fault.js';
import {
  insertBefore,
  isOf,
  placeOf,
  planStep,
  senderOf,
  type PlannedStep,
  type Play,
  type Reporter,
} from '../coup/script.js';
import type { Setting } from '../setting.js';
import { cancelCoup } from '../coup/voiding.js';

/** What a device that draws the cards and may have missed some hides of its shoe. */
const LOST_OF_SHOE: readonly Loss[] = ['cards of shoe', 'play of shoe', 'closing'];

/** Returns a fault that changes one card of a lawful coup, other than `kept`. */
const peculiarCard = (change: (draw: Draw) => void): CoupFault => ({
  at: 'coup',
  deal: (top, { rules }, random, kept) => {
    const coup = dealLawfully(top, rules, random);
    const draw = random.pick(coup.draws);
    if (draw.card === kept) return undefined;
    change(draw);
    return coup;
  },
});

const note = (text: string, from: Reporter = 'terminal'): PlannedStep =>
  planStep(from, 'device-setting-changed', { text }, 800);

/** Corrects the first call of a coup to what it was: the record is changed, the game is not. */
function correctCall(
  play: Play,
  signed: Pick<EventData['observation-corrected'], 'by' | 'reason'>,
  from: Reporter = senderOf(signed),
): void {
  const called = play.steps[placeOf(play, isOf('hand-called'))] as PlannedStep;
  const data = { data: { ...called.data }, ...signed };
  insertBefore(play, isOf('coup-closed'), {
    ...planStep(from, 'observation-corrected', { event: '', ...data }, 5000),
    dataNaming: (referenceOf) => ({ event: referenceOf(called), ...data }),
  });
}

/**
 * Requires a document that settles a coup with an exposed card, so that voiding it is another
 * disposition.
 */
const settlesExposedCards = ({ rules }: Setting): string | undefined =>
  rules.irregularities.some(
    ({ codes, do: actions, when }) =>
      codes.includes('DL-05') &&
      Object.entries(when ?? {}).every(([name, wanted]) => name === 'firstCard' && !wanted) &&
      actions.every((action) => action === 'settle'),
  )
    ? undefined
    : `${rules.ref} prescribes no disposition that a void would depart from`;

/** The faults of the record that can be simulated, by the code that finds them. */
export const FAULTS_OF_RECORD = {
  'DV-01': peculiarCard((draw) => {
    draw.unread = true;
  }),
  // The lost event is a note of a display, which sends nothing else. A gap of the shoe or of the
  // terminal would make the coup unjudgeable.
  'DV-04': {
    at: 'coup',
    spoil: (play) => {
      const [first, lost, last] = [50, 60, 70].map((text) => note(`brightness ${text}`, 'display'));
      if (first && lost && last)
        insertBefore(play, isOf('betting-closed'), first, { ...lost, lost: true }, last);
    },
  },
  // The device draws the cards, so much of its shoe cannot be judged any longer.
  'DV-06': {
    at: 'coup',
    hides: ['DL-16', ...codesWhere(({ gap }) => gap.some((loss) => LOST_OF_SHOE.includes(loss)))],
    spoil: (play) =>
      insertBefore(
        play,
        isOf('outcome-declared'),
        planStep('shoe', 'device-online', { firmware: '4.2.1', missed: null }, 20_000),
      ),
  },
  'DV-11': peculiarCard((draw) => {
    draw.byPerson = true;
  }),
  'DV-15': {
    at: 'coup',
    spoil: (play) => {
      const first = note('brightness 60');
      insertBefore(play, isOf('betting-closed'), first, { ...note('brightness 80'), under: first });
    },
  },
  'PR-01': {
    at: 'coup',
    spoil: ({ steps, dealer }) => {
      steps.unshift(planStep('terminal', 'dealer-relieved', { dealer, role: 'dealer' }, 2000));
      steps.push(planStep('terminal', 'dealer-signed-on', { dealer, role: 'dealer' }, 3000));
    },
  },
  'PR-04': {
    at: 'coup',
    spoil: (play) => {
      const { random, dealer } = play;
      const who = random.chance(50) ? { by: dealer } : {};
      correctCall(play, { ...who, reason: 'called again' });
    },
  },
  // A card lay face up, and the document says that the coup is settled. The fault declares it void
  // instead.
  'PR-07': {
    at: 'coup',
    impossible: settlesExposedCards,
    entails: ['DL-05'],
    deal: (top, { rules }, random) => {
      const coup = dealLawfully(top, rules, random);
      coup.faultyDraw = random.between(1, coup.draws.length - 1);
      (coup.draws[coup.faultyDraw] as Draw).exposed = true;
      return coup;
    },
    spoil: (play) => cancelCoup(play, { reason: 'a card lay face up', by: play.supervisor }),
  },
  'PR-09': {
    at: 'coup',
    spoil: (play) => {
      const correction = {
        event: `device/${play.setting.table}-shoe#no-such-event`,
        data: { coup: play.number },
        by: play.supervisor,
        reason: 'misread',
      };
      insertBefore(
        play,
        isOf('coup-closed'),
        planStep(senderOf(correction), 'observation-corrected', correction, 5000),
      );
    },
  },
  'PR-10': {
    at: 'coup',
    spoil: (play) => correctCall(play, { by: play.supervisor, reason: 'called again' }, 'terminal'),
  },
} as const satisfies Record<string, CoupFault>;
