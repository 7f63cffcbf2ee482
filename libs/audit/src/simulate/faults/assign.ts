import type { Card } from '#baccarat';
import { FINDING_CODES, type FindingCode } from '../../findings/catalogue.js';
import { mostBurned } from '../shoe/burning.js';
import { CardsOfShoe } from '../shoe/cards-of-shoe.js';
import { dealLawfully, type Dealing } from '../coup/dealing.js';
import type { CoupFault, ShoeFault } from './fault.js';
import { FAULTS } from './faults.js';
import type { Random } from '../random.js';
import { SimulationRefusal, type Setting } from '../setting.js';

/** A requested fault, with the shoe and coup if they were chosen. */
interface Request {
  readonly text: string;
  readonly code: FindingCode;
  readonly shoe: number | undefined;
  readonly coup: number | undefined;
}

/** The faults of one shoe: those of its coups by coup number, and its own. */
export interface ShoePlan {
  readonly coups: Map<number, FindingCode>;
  readonly whole: FindingCode[];
  /** Coup numbers that must stay as they are. */
  readonly taken: Set<number>;
}

/**
 * A lost event makes its table wait for up to 64 events. A repeat among these could not be assigned
 * to its coup.
 */
const COUPS_OF_A_WAIT = 8;

/**
 * How many cards are behind the cut card: enough for every coup that it permits, and for those
 * dealt wrongly after them.
 */
export const cutDepth = (
  {
    rules: {
      document: { cutCard },
    },
  }: Setting,
  furtherCoups: number,
): number => 2 + 6 * (1 + Math.max(cutCard.insideCoup, cutCard.betweenCoups) + furtherCoups);

/**
 * Parses `TC-05`, `TC-05@17` (coup 17) or `TC-05@2/17` (coup 17 of the second shoe). Throws
 * `SimulationRefusal` for any other text.
 */
function readRequest(text: string): Request {
  const [, code, shoe, coup] = /^([A-Z]{2}-\d\d)(?:@(?:(\d{1,6})\/)?(\d{1,4}))?$/.exec(text) ?? [];
  if (code === undefined)
    throw new SimulationRefusal(
      `"${text}" is not a fault (expected a code such as TC-05, TC-05@17 for coup 17, or TC-05@2/17 for coup 17 of the second shoe)`,
    );
  if (!(FINDING_CODES as string[]).includes(code))
    throw new SimulationRefusal(`${code} is not a finding code`);
  return {
    text,
    code: code as FindingCode,
    shoe: shoe === undefined ? undefined : Number(shoe),
    coup: coup === undefined ? undefined : Number(coup),
  };
}

/**
 * Assigns a shoe and a coup to every fault, no two to the same coup, faults with a chosen coup
 * first, then those that hide others and what they hide. Faults without a chosen shoe take the
 * shoes in turn. Leaves out shoes without faults. Throws `SimulationRefusal`, naming the fault, if
 * one is impossible under these rules or does not fit.
 */
export function assignFaults(
  setting: Setting,
  shoes: number,
  faults: readonly string[],
  random: Random,
): ReadonlyMap<number, ShoePlan> {
  const requests = faults.map(readRequest);
  for (const { code } of new Map(requests.map((request) => [request.code, request])).values())
    refuseImpossible(setting, code, random);
  const plans = new Map<number, ShoePlan>();
  const turn = { next: 0 };
  const hidden = new Set(requests.flatMap(({ code }) => hiddenBy(code)));
  const urgency = ({ code, coup }: Request): number =>
    coup !== undefined ? 0 : hiddenBy(code).length > 0 ? 1 : hidden.has(code) ? 2 : 3;
  const inOrder = [...requests].sort((a, b) => urgency(a) - urgency(b));
  for (const request of inOrder) {
    place(request, {
      setting,
      shoes,
      plans,
      random,
      turn,
      last: lastSureCoup(setting, faults.length),
    });
  }
  return plans;
}

/**
 * Returns the last coup that is certain to be dealt, and to be over before the cut card shows: six
 * cards a coup, and one for each fault.
 */
function lastSureCoup(setting: Setting, faults: number): number {
  const cards =
    52 * setting.decks - mostBurned(setting.rules, setting.decks) - cutDepth(setting, 1);
  const beforeCutCard = Math.max(0, Math.floor((cards - faults) / 6), Math.floor(cards / 7));
  return Math.min(beforeCutCard, setting.coups ?? beforeCutCard);
}

function refuseImpossible(setting: Setting, code: FindingCode, random: Random): void {
  const fault = FAULTS[code];
  const why =
    fault.impossible?.(setting) ??
    (fault.at === 'coup' && !canBeDealt(setting, fault, random)
      ? `no cards make it possible under ${setting.rules.ref}`
      : undefined);
  if (why !== undefined) throw new SimulationRefusal(`${code} cannot be injected: ${why}`);
}

/** Returns whether a coup of a new shoe can be dealt for the fault. */
const canBeDealt = (setting: Setting, fault: CoupFault, random: Random): boolean =>
  fault.deal === undefined ||
  new CardsOfShoe(setting.decks, random).arrange((top) =>
    dealFor(fault, top, { setting, random, kept: null }),
  ) !== undefined;

/** Deals a coup's cards for its fault, or lawfully. `kept` as in `CoupFault.deal`. */
export function dealFor(
  fault: CoupFault | undefined,
  top: readonly Card[],
  {
    setting,
    random,
    kept,
  }: { readonly setting: Setting; readonly random: Random; readonly kept: Card | null },
): Dealing | undefined {
  return fault?.deal
    ? fault.deal(top, setting, random, kept)
    : dealLawfully(top, setting.rules, random);
}

interface Places {
  readonly setting: Setting;
  readonly shoes: number;
  readonly plans: Map<number, ShoePlan>;
  readonly random: Random;
  readonly turn: { next: number };
  readonly last: number;
}

function place(request: Request, places: Places): void {
  const { shoes, plans, turn } = places;
  const { text, shoe: chosen } = request;
  if (chosen !== undefined && (chosen < 1 || chosen > shoes))
    throw new SimulationRefusal(`${text}: shoe ${chosen} does not exist, only ${shoes}`);
  let why = '';
  for (let tries = 0; tries < (chosen === undefined ? shoes : 1); tries += 1) {
    const shoe = chosen ?? (turn.next++ % shoes) + 1;
    const plan = plans.get(shoe) ?? { coups: new Map(), whole: [], taken: new Set() };
    const refused = placeInShoe(request, plan, places);
    if (refused === undefined) {
      plans.set(shoe, plan);
      return;
    }
    why = refused;
  }
  throw new SimulationRefusal(`${text} does not fit: ${why}`);
}

/** Returns why a fault cannot be distinguished from another of the shoe; undefined if it can. */
function mixesWith(code: FindingCode, plan: ShoePlan): string | undefined {
  const fault = FAULTS[code];
  const others = [...plan.whole, ...plan.coups.values()];
  const rival =
    fault.part === undefined
      ? undefined
      : others.find((other) => FAULTS[other].part === fault.part);
  if (rival !== undefined)
    return `${rival} of the same shoe is about the same thing; ask for more shoes`;
  const hidden = others.find(
    (other) => hiddenBy(other).includes(code) || hiddenBy(code).includes(other),
  );
  if (hidden !== undefined)
    return `one of ${hidden} and ${code} hides the other in one shoe; ask for more shoes`;
  return undefined;
}

/** Adds a fault to a shoe, or returns the reason why it does not fit. */
function placeInShoe(
  { code, coup }: Request,
  plan: ShoePlan,
  { setting, random, last }: Places,
): string | undefined {
  const fault = FAULTS[code];
  const mixed = mixesWith(code, plan);
  if (mixed !== undefined) return mixed;
  if (fault.at === 'shoe') {
    if (coup !== undefined)
      return 'it is about the shoe as a whole, and no coup can be chosen for it';
    return placeOverShoe(code, fault, plan);
  }
  const first = fault.earliest?.(setting) ?? 1;
  const fits = (at: number): boolean =>
    !plan.taken.has(at) &&
    !(fault.needsCoupBefore && plan.taken.has(at - 1)) &&
    isApart(code, at, plan);
  if (coup !== undefined) {
    if (coup < first || coup > last)
      return `it can be injected into coups ${first} to ${last} of a shoe of ${setting.decks} decks`;
    if (!fits(coup)) return `coup ${coup} or one that it depends on has another fault`;
    take(plan, code, coup);
    return undefined;
  }
  const from = Math.max(2, first);
  const free = Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => from + i).filter(
    fits,
  );
  if (free.length === 0) return 'the coups of the shoe have other faults; ask for more shoes';
  take(plan, code, random.pick(free));
  return undefined;
}

/** Returns the faults that a fault keeps from being found in its shoe. */
function hiddenBy(code: FindingCode): readonly FindingCode[] {
  const fault = FAULTS[code];
  return (fault.at === 'coup' && fault.hides) || [];
}

function placeOverShoe(
  code: FindingCode,
  { takesCoup }: ShoeFault,
  plan: ShoePlan,
): string | undefined {
  if (takesCoup !== undefined && plan.taken.has(takesCoup))
    return `coup ${takesCoup} has another fault`;
  plan.whole.push(code);
  if (takesCoup !== undefined) plan.taken.add(takesCoup);
  return undefined;
}

function take(plan: ShoePlan, code: FindingCode, coup: number): void {
  const fault = FAULTS[code] as CoupFault;
  plan.coups.set(coup, code);
  plan.taken.add(coup);
  if (fault.needsCoupBefore) plan.taken.add(coup - 1);
}

/**
 * A repeat with other content (DV-15) must not come while the table waits for a lost event (DV-04).
 */
function isApart(code: FindingCode, coup: number, { coups }: ShoePlan): boolean {
  for (const [at, other] of coups) {
    if (code === 'DV-15' && other === 'DV-04' && coup >= at && coup <= at + COUPS_OF_A_WAIT)
      return false;
    if (code === 'DV-04' && other === 'DV-15' && at >= coup && at <= coup + COUPS_OF_A_WAIT)
      return false;
  }
  return true;
}
