import { expect } from '@jest/globals';
import { count, standing } from './count.js';
import { Load, newTables } from './load.js';
import { countReviews } from './review-count.js';
import { reviewedGame } from './reviewed-game.js';
import { Reviewers } from './reviewers.js';
import type { Recovery, Struck } from './recovery.js';
import { record, ROUNDS, type Round } from './round.js';
import { ALL, named } from './scenarios.js';
import type { System } from './system.js';

/** Rounds of each scenario: half of those without reviews, which take less long. */
const REVIEW_ROUNDS = Math.ceil(ROUNDS / 2);
/** What is played in a round: 500 findings, or a few in `npm test`. */
const GAME = ALL ? { tablesEach: 5, faults: 25 } : { tablesEach: 1, faults: 8 };
/** The least number of commands for each finding: a person takes it, proposes, another signs. */
const COMMANDS_EACH = 3;

interface Asked {
  readonly scenario: string;
  /** Causes the fault while people review. */
  readonly strike: (round: number) => Promise<Struck>;
}

/** A round in which people review. */
interface ReviewRound extends Round {
  readonly ruled: number;
}

/** Declares a test in which people review while something fails. */
export function reviewScenario(
  system: () => Promise<System>,
  title: string,
  asked: (system: System) => Asked,
): void {
  named(title, async () => {
    const running = await system();
    for (let round = 0; round < REVIEW_ROUNDS; round += 1) {
      const played = await oneRound(running, asked(running), round);
      record(played);
      const { lost, twice, wrong, findings, ruled } = played;
      // in the next round somebody would rule on what this one left
      running.isSpoiled ||= ruled < findings;
      expect({ lost, twice, wrong }).toEqual({ lost: [], twice: 0, wrong: [] });
      expect(findings).toBeGreaterThanOrEqual(4 * GAME.tablesEach * GAME.faults);
      expect(ruled).toBe(findings);
    }
  });
}

/**
 * Plays tables with a fault in each coup while twenty people review what is found. A fault strikes
 * meanwhile. Counts events and acts once everything is ruled on.
 */
async function oneRound(
  system: System,
  { scenario, strike }: Asked,
  nth: number,
): Promise<ReviewRound> {
  const before = await standing(system);
  const tables = newTables(GAME.tablesEach);
  const game = (table: string): Iterator<string> => reviewedGame(table, GAME.faults);
  const load = await Load.start(system, { only: { tables, game } });
  const reviewers = await Reviewers.start(system);
  try {
    const commands = COMMANDS_EACH * tables.length * GAME.faults;
    await reviewers.more(Math.ceil(commands * (0.1 + 0.5 * Math.random())));
    const { at, restored } = await strike(nth);
    await Promise.all([restored, load.ended()]);
    await standing(system); // so that people see every finding
    await reviewers.finished();
    const after = await standing(system);
    const events = await count(system, load, before, (act) => reviewers.isTheirs(act));
    const acts = await countReviews(system, reviewers, tables, { before, after });
    return {
      scenario,
      acknowledged: events.acknowledged + acts.acknowledged,
      lost: [...events.lost, ...acts.lost],
      twice: events.twice + acts.twice,
      copies: events.copies,
      wrong: [...events.wrong, ...acts.wrong],
      findings: events.findings,
      ruled: acts.ruled,
      ...recoveryOf(reviewers, at),
      unanswered: load.unanswered,
    };
  } catch (error) {
    system.isSpoiled = true;
    throw new Error(
      `${scenario}, round ${nth + 1}: ${(error as Error).message}\n${system.lastWords()}`,
      { cause: error },
    );
  } finally {
    await Promise.all([load.abandon(), reviewers.abandon()]);
  }
}

/** Returns when commands that were asked for after the fault were recorded, and took effect. */
function recoveryOf(
  { done, recorded }: Reviewers,
  at: number,
): Pick<Recovery, 'acknowledgedAfter' | 'visibleAfter' | 'allVisibleAfter'> {
  const first = new Map<number, number>();
  for (const { asked, answered, partition } of done)
    if (asked > at && partition !== undefined && !first.has(partition))
      first.set(partition, answered - at);
  return {
    acknowledgedAfter: Math.min(
      ...recorded.filter(({ asked }) => asked > at).map(({ answered }) => answered - at),
    ),
    visibleAfter: Math.min(...first.values()),
    allVisibleAfter: Math.max(...first.values()),
  };
}
