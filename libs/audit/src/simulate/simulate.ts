import type { Rules } from '#baccarat';
import { isCurrency } from '../events/currency.js';
import { assignFaults } from './faults/assign.js';
import type { RuleBook } from '../history/replay.js';
import type { Policy } from '../review/policy.js';
import type { ExpectedFinding, ExpectedReview } from './expected.js';
import { Log } from './log.js';
import { Random } from './random.js';
import { withReviews } from './review/reviews.js';
import { limitsOf, reportsOf, SimulationRefusal, usualDecks, type Setting } from './setting.js';
import { SimulatedTable } from './table.js';

/** What to simulate at one table. */
export interface SimulationOptions {
  readonly rules: Rules;
  readonly seed: string | number;
  /** The number of shoes, at least 1. */
  readonly shoes: number;
  /** A number that the document allows. Default: 8 if it allows 8, otherwise its largest. */
  readonly decks?: number;
  /** The number of the last coup of each shoe. Default: the cut card ends the shoe. */
  readonly coups?: number;
  /** Table id. Default: `T1`. */
  readonly table?: string;
  /**
   * Whether bets are placed, settled and reported. A document without bets has none in any case.
   */
  readonly bets?: boolean;
  /**
   * `TC-05` for a random coup, `TC-05@17` for coup 17, `TC-05@2/17` for coup 17 of the second shoe.
   * Each is injected once.
   */
  readonly faults?: readonly string[];
  /** RFC 3339. Default: 2026-11-20T12:00:00Z. */
  readonly start?: string;
  /** ISO 4217. Default: USD. */
  readonly currency?: string;
  /** Whether people review the findings of the faults, and how. They do not if it is absent. */
  readonly reviews?: ReviewOptions;
}

/** How the findings of a simulated log are reviewed. */
export interface ReviewOptions {
  /** Has the policy, and the rules of the simulation. */
  readonly book: RuleBook;
  /** The policy in force. */
  readonly policy: Policy;
  /**
   * Why acts are refused (`REFUSALS`), beside lawful acts. Each is caused once. They need `faults`.
   */
  readonly faults?: readonly string[];
}

/**
 * A simulated log: canonical lines in log order, without line endings, and the findings that an
 * audit must report.
 */
export interface Simulation {
  readonly lines: Generator<string, void, undefined>;
  /** Complete once `lines` has ended, because each shoe's findings are known when it is closed. */
  readonly expected: readonly ExpectedFinding[];
  /** What must become of each act on a finding, in the order of the log. Complete as `expected`. */
  readonly reviews: readonly ExpectedReview[];
}

/**
 * Deals shoes by the rule document, as the events of a table's devices and people. `faults` spoil
 * coups and shoes so that exactly the named findings arise, and those that they entail. The same
 * options produce the same lines, byte for byte. Keeps no more than a coup in memory.
 *
 * With `reviews` it keeps the table's fold and the reviews of the last shoes too. It adds their
 * lines to the others, which stay as they are. Only to cause `finding-withdrawn`, a person of the
 * floor may correct an outcome, and correct it back.
 *
 * Throws `SimulationRefusal` at once if an option is out of range or a fault is impossible under
 * these rules. Very rarely, it throws while a shoe is dealt, because the remaining cards do not
 * allow the fault chosen for a coup. It throws at the end if no finding allowed an unlawful review.
 */
export function simulate(options: SimulationOptions): Simulation {
  const {
    rules,
    seed,
    shoes,
    faults = [],
    start = '2026-11-20T12:00:00Z',
    reviews: asked,
  } = options;
  if (!Number.isSafeInteger(shoes) || shoes < 1)
    throw new SimulationRefusal(`shoes must be a whole number of at least 1, not ${shoes}`);
  const setting = settingOf(options);
  const random = new Random(`${seed} ${setting.table} ${rules.ref}`);
  const plans = assignFaults(setting, shoes, faults, new Random(`${seed} ${setting.table} faults`));
  const expected: ExpectedFinding[] = [];
  const table = new SimulatedTable(setting, random, new Log(setting.table, start), expected);
  function* lines(): Generator<string, void, undefined> {
    yield* table.open();
    for (let shoe = 1; shoe <= shoes; shoe += 1) yield* table.shoe(shoe, plans.get(shoe));
  }
  const reviews: ExpectedReview[] = [];
  if (!asked) return { lines: lines(), expected, reviews };
  const reviewed = withReviews(lines(), {
    ...asked,
    ...{ table: setting.table, seed, findings: faults.length, expected: reviews },
  });
  return { lines: reviewed, expected, reviews };
}

function settingOf({
  rules,
  seed,
  decks = usualDecks(rules),
  coups,
  table = 'T1',
  bets = false,
  currency = 'USD',
}: SimulationOptions): Setting {
  if (!rules.document.decks.includes(decks))
    throw new SimulationRefusal(
      `${rules.ref} is played with ${rules.document.decks.join(' or ')} decks, not ${decks}`,
    );
  if (coups !== undefined && (!Number.isSafeInteger(coups) || coups < 1))
    throw new SimulationRefusal(`coups must be a whole number of at least 1, not ${coups}`);
  if (table === '') throw new SimulationRefusal('a table id must not be empty');
  if (!isCurrency(currency))
    throw new SimulationRefusal(`${currency} is not a currency code of ISO 4217, such as MOP`);
  const withBets = bets && rules.bets.size > 0;
  return {
    rules,
    decks,
    coups,
    bets: withBets,
    table,
    currency,
    limits: limitsOf(rules),
    reports: reportsOf(withBets),
    seats: new Random(`${seed} ${table} seats`).between(3, 7),
  };
}
