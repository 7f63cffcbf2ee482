import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { rounds as roundsOf } from '../kit/rounds.js';
import { count, standing, type Count } from './count.js';
import { Load, type LoadOptions } from './load.js';
import { PARTITIONS, type System } from './system.js';

/** Rounds of each scenario: one in `npm test`, two in `test:long`, twenty in `npm run faults`. */
export const ROUNDS = Number(process.env.SHOEPRINT_FAULTS_ROUNDS ?? roundsOf(2));
/** Time limit of a round. It takes a few seconds, and several times that on a busy machine. */
export const ROUND_MS_MAX = 120_000;

/** Events that a round sends after the recovery. */
const AFTERWARDS = 200;

/** When a fault began. `restored` resolves once it is undone as far as possible. */
export interface Struck {
  readonly at: number;
  readonly restored: Promise<unknown>;
}

/** The result of a round. Times are in ms from the fault. */
export interface Round extends Count {
  readonly scenario: string;
  readonly unanswered: Load['unanswered'];
  /** Time until the first request made after the fault was acknowledged. */
  readonly acknowledgedAfter: number;
  /** Time until the rows included the first event acknowledged after the fault. */
  readonly visibleAfter: number;
  /** Time until this was true for every partition. */
  readonly allVisibleAfter: number;
}

export interface Asked {
  readonly scenario: string;
  readonly load?: LoadOptions;
  /** Causes the fault while the load runs. */
  readonly strike: (load: Load, round: number) => Promise<Struck>;
}

/**
 * Plays rounds. In each, a load runs, a fault strikes at a random moment, the load continues, and
 * everything is counted once it is in the rows.
 */
export async function rounds(system: System, asked: Asked): Promise<Round[]> {
  const played: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const result = await oneRound(system, asked, round);
    played.push(result);
    record(result);
  }
  return played;
}

async function oneRound(
  system: System,
  { scenario, load: options, strike }: Asked,
  nth: number,
): Promise<Round> {
  const before = await standing(system);
  const load = Load.start(system, options);
  try {
    await load.more(200 + Math.floor(Math.random() * 200));
    const { at, restored } = await strike(load, nth);
    const [recovery] = await Promise.all([recoveryOf(system, load, at), restored]);
    await load.more(AFTERWARDS);
    await load.finished();
    return {
      scenario,
      ...(await count(system, load, before)),
      ...recovery,
      unanswered: load.unanswered,
    };
  } catch (error) {
    throw new Error(
      `${scenario}, round ${nth + 1}: ${(error as Error).message}\n${system.lastWords()}`,
      { cause: error },
    );
  } finally {
    await load.abandon(); // nothing is left to send unless the round failed
  }
}

const RECOVERY_MS_MAX = 90_000;
const LOOK_MS = 10;

/**
 * Waits until the rows of every partition include an event that was sent and acknowledged after
 * `at`.
 */
async function recoveryOf(
  system: System,
  load: Load,
  at: number,
): Promise<Pick<Round, 'acknowledgedAfter' | 'visibleAfter' | 'allVisibleAfter'>> {
  const visible = new Map<number, number>();
  let looked = 'nothing was acknowledged';
  while (performance.now() < at + RECOVERY_MS_MAX) {
    const after = load.acknowledged.filter(({ asked }) => asked > at);
    const awaited = firstOf(after);
    const positions = await system
      .query<{ partition: number; next: string }>('select partition, next from rows.position')
      .catch((error: unknown) => void (looked = (error as Error).message));
    const now = performance.now() - at;
    if (positions) {
      for (const { partition, next } of positions)
        if (Number(next) >= (awaited.get(partition) ?? Infinity) && !visible.has(partition))
          visible.set(partition, now);
      looked = `rows are at ${JSON.stringify(positions)}, expected ${JSON.stringify([...awaited])}`;
    }
    if (visible.size === PARTITIONS) {
      const times = [...visible.values()];
      return {
        acknowledgedAfter: Math.min(...after.map(({ answered }) => answered)) - at,
        visibleAfter: Math.min(...times),
        allVisibleAfter: Math.max(...times),
      };
    }
    await pause(LOOK_MS);
  }
  throw new Error(
    `what was acknowledged after the strike was not in the rows within ${RECOVERY_MS_MAX} ms: ${looked}`,
  );
}

/** Returns, for each partition, the position after the first acknowledged event. */
function firstOf(acknowledged: Load['acknowledged']): Map<number, number> {
  const first = new Map<number, number>();
  for (const { positions } of acknowledged)
    for (const { partition, next } of positions)
      first.set(partition, Math.min(next, first.get(partition) ?? Infinity));
  return first;
}

/** Appends a line for the table of `npm run faults`. */
export function record({ lost, wrong, ...round }: Round): void {
  const file = process.env.SHOEPRINT_FAULTS_REPORT;
  if (file) appendFileSync(file, `${JSON.stringify({ ...round, lost: lost.length, wrong })}\n`);
}

/**
 * Expects that no event was lost or counted twice, and that findings, ledger, shoes and coups match
 * the fold of the events.
 */
export function expectNothingLost(played: readonly Round[]): void {
  expect(played).toHaveLength(ROUNDS);
  for (const { lost, twice, wrong, acknowledged, findings } of played) {
    expect({ lost, twice, wrong }).toEqual({ lost: [], twice: 0, wrong: [] });
    expect(acknowledged).toBeGreaterThanOrEqual(200 + AFTERWARDS);
    expect(findings).toBeGreaterThan(0);
  }
}
