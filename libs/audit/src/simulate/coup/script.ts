import { factsOf, outcomeOf, specialsOf, totalOf } from '#baccarat';
import type { CoupKind, EventData, EventType } from '../../events/events.js';
import type { Random } from '../random.js';
import type { Setting } from '../setting.js';
import { lawfulSettlement, type Settlement, type PlannedWager } from './betting.js';
import type { Dealing } from './dealing.js';

/** Who reports a step: a device of the table, or a person. */
export type Reporter = 'shoe' | 'terminal' | 'display' | `person/${string}`;

/** Returns who reports what somebody did: the person named, or the terminal for nobody. */
export const senderOf = ({ by }: { readonly by?: string }): Reporter =>
  by === undefined ? 'terminal' : `person/${by}`;

/** A future event, without a number and time yet. */
export interface PlannedStep {
  readonly from: Reporter;
  readonly type: EventType;
  /** Data in canonical order. */
  data: object;
  /** Replaces `data` if it refers to earlier steps of the same coup. */
  dataNaming?: (referenceOf: (step: PlannedStep) => string) => object;
  /** Milliseconds since the step before. */
  waitMs: number;
  /** Its number is used up, but the event never arrives. */
  lost?: boolean;
  /** It comes under the id and number of another step. */
  under?: PlannedStep;
}

/** Returns a step whose data is checked against its type. */
export const planStep = <T extends EventType>(
  from: Reporter,
  type: T,
  data: EventData[T],
  waitMs: number,
): PlannedStep => ({
  from,
  type,
  data,
  waitMs,
});

/** A coup under construction: what was dealt and bet, and the steps that report it. */
export interface Play {
  readonly setting: Setting;
  readonly random: Random;
  readonly number: number;
  readonly kind: CoupKind;
  readonly dealing: Dealing;
  readonly wagers: readonly PlannedWager[];
  readonly dealer: string;
  readonly supervisor: string;
  /** How many cards of the shoe are behind the cut card; below 0 without a cut card. */
  readonly cutDepth: number;
  /** Cards left in the shoe before this coup. */
  readonly left: number;
  readonly steps: PlannedStep[];
}

/** Adds the steps of the coup as its cards and bets make them, everything else lawful. */
export function tellCoup(play: Play): void {
  const { steps, number, kind, random } = play;
  steps.push(
    planStep(
      'shoe',
      'coup-opened',
      kind === 'normal' ? { coup: number } : { coup: number, kind },
      4000 + random.below(3000),
    ),
  );
  for (const wager of play.wagers) placeBet(play, wager);
  steps.push(planStep('terminal', 'betting-closed', {}, 5000 + random.below(5000)));
  tellCards(play);
  if (!play.dealing.unfinished) tellResult(play);
  for (const wager of play.wagers) {
    steps.push(
      planStep(
        'terminal',
        'bet-settled',
        lawfulSettlement(play.setting.rules, wager, play.dealing, kind),
        900 + random.below(900),
      ),
    );
  }
  steps.push(planStep('terminal', 'coup-closed', {}, 1500 + random.below(1500)));
  for (const { card, to, afterCoup } of play.dealing.draws)
    if (afterCoup) steps.push(planStep('shoe', 'card-drawn', { card, to }, 2500));
}

/** A bet is usually one placement, sometimes two, sometimes with a part withdrawn again. */
function placeBet({ steps, random }: Play, { seat, bet, amount }: PlannedWager): void {
  const place = (part: number): PlannedStep =>
    planStep('terminal', 'bet-placed', { seat, bet, amount: part }, 300 + random.below(1500));
  const way = random.below(20);
  if (way === 0 && amount > 1) {
    const first = random.between(1, amount - 1);
    steps.push(place(first), place(amount - first));
  } else if (way === 1) {
    const more = 100 * random.between(1, 5);
    steps.push(
      place(amount + more),
      planStep('terminal', 'bet-withdrawn', { seat, bet, amount: more }, 1200),
    );
  } else steps.push(place(amount));
}

function tellCards({ steps, dealing, random, cutDepth, left, supervisor }: Play): void {
  for (const [i, draw] of dealing.draws.entries()) {
    const { card, exposed, unread, byPerson, afterCoup } = draw;
    const to = draw.out ? ('out' as const) : draw.to;
    if (afterCoup) continue;
    if (i > 0 && left - i === cutDepth) steps.push(planStep('shoe', 'cut-card-drawn', {}, 600));
    const data = { card: unread ? null : card, to, ...(exposed ? { exposed } : undefined) };
    steps.push(
      planStep(
        byPerson ? `person/${supervisor}` : 'shoe',
        'card-drawn',
        data,
        i === 0 ? 3000 + random.below(1000) : 1400 + random.below(1200),
      ),
    );
  }
}

function tellResult({ steps, dealing, random, setting }: Play): void {
  const [player, banker] = [totalOf(dealing.player), totalOf(dealing.banker)];
  const outcome = outcomeOf(player, banker);
  const specials = specialsOf(setting.rules, factsOf(dealing), dealing);
  steps.push(
    planStep(
      'terminal',
      'hand-called',
      { hand: 'player', total: player },
      1200 + random.below(800),
    ),
    planStep('terminal', 'hand-called', { hand: 'banker', total: banker }, 800 + random.below(800)),
    planStep(
      'shoe',
      'outcome-declared',
      { outcome, player, banker, by: 'device' },
      400 + random.below(400),
    ),
    planStep(
      'terminal',
      'outcome-declared',
      { outcome, player, banker, specials, by: 'dealer' },
      1200 + random.below(800),
    ),
  );
}

/** Returns the index of the first step that `fits`. Throws if there is none. */
export function placeOf({ steps }: Play, fits: (step: PlannedStep) => boolean): number {
  const at = steps.findIndex(fits);
  if (at < 0) throw new Error('the coup has no such step');
  return at;
}

/** Returns a test for steps of one event type. */
export const isOf =
  (type: EventType, from?: Reporter) =>
  (candidate: PlannedStep): boolean =>
    candidate.type === type && (from === undefined || candidate.from === from);

/** Returns the step that settles a wager. */
export const settlementStep = (play: Play, { seat, bet }: PlannedWager): PlannedStep =>
  play.steps[
    placeOf(
      play,
      ({ type, data }) =>
        type === 'bet-settled' &&
        (data as Settlement).seat === seat &&
        (data as Settlement).bet === bet,
    )
  ] as PlannedStep;

/** Inserts steps before the first one that `fits`. */
export function insertBefore(
  play: Play,
  fits: (step: PlannedStep) => boolean,
  ...more: readonly PlannedStep[]
): void {
  play.steps.splice(placeOf(play, fits), 0, ...more);
}

/** Returns more milliseconds than two clocks may differ by, so that the order is certain. */
export const beyondDoubtMs = ({ setting }: Pick<Play, 'setting'>): number =>
  setting.rules.document.clockTolerance * 1000 + 2000;
