import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { rounds as roundsOf } from '../kit/rounds.js';
import { count, standing, type Count } from './count.js';
import { Load, type LoadOptions } from './load.js';
import { FalseAlarm, recoveryOf, type Recovery, type Struck } from './recovery.js';
import type { System } from './system.js';

/** Rounds of each scenario: one in `npm test`, two in `test:long`, twenty in `npm run faults`. */
export const ROUNDS = Number(process.env.SHOEPRINT_FAULTS_ROUNDS ?? roundsOf(2));
/** Time limit of a round. Most take a few seconds, and several times that on a busy machine. */
export const ROUND_MS_MAX = 300_000;

/** Events that a round sends after the recovery. */
const AFTERWARDS = 200;

/** The result of a round. */
export interface Round extends Count, Partial<Recovery> {
  readonly scenario: string;
  readonly unanswered: Load['unanswered'];
}

export interface Asked {
  readonly scenario: string;
  readonly load?: LoadOptions;
  /** The least number of rounds, where each of several servers fails in turn. Default: 1. */
  readonly roundsMin?: number;
  /** Causes the fault while the load runs. */
  readonly strike: (load: Load, round: number) => Promise<Struck>;
}

/**
 * Plays rounds. In each, a load runs, a fault strikes at a random moment, the load continues, and
 * everything is counted once it is in the rows.
 */
export async function rounds(system: System, asked: Asked): Promise<Round[]> {
  const played: Round[] = [];
  for (let round = 0; round < roundsOfScenario(asked); round += 1) {
    const result = await oneRound(system, asked, round);
    played.push(result);
    record(result);
  }
  return played;
}

/** Returns how many rounds a scenario has. */
const roundsOfScenario = ({ roundsMin = 1 }: Asked): number => Math.max(ROUNDS, roundsMin);

async function oneRound(
  system: System,
  { scenario, load: options, strike }: Asked,
  nth: number,
): Promise<Round> {
  const before = await standing(system);
  const load = await Load.start(system, options);
  try {
    await load.more(200 + Math.floor(Math.random() * 200));
    const struck = await strike(load, nth);
    const [recovery] = await Promise.all([recoveryOf(system, load, struck), struck.restored]);
    await load.more(AFTERWARDS);
    await load.finished();
    return {
      scenario,
      ...(await count(system, load, before)),
      ...recovery,
      unanswered: load.unanswered,
    };
  } catch (error) {
    system.isSpoiled = true;
    recordFailure(scenario, error as Error);
    throw new Error(
      `${scenario}, round ${nth + 1}: ${(error as Error).message}\n${system.lastWords()}`,
      { cause: error },
    );
  } finally {
    await load.abandon(); // nothing is left to send unless the round failed
  }
}

/** Appends a line for the table of `npm run faults`, about a round that could not be counted. */
function recordFailure(scenario: string, error: Error): void {
  const stopped = error instanceof FalseAlarm ? error.stopped.length : 0;
  report({ scenario, failed: error.message, stopped });
}

/** Appends a line for the table of `npm run faults`. */
export function record({ lost, wrong, ...round }: Round): void {
  report({ ...round, lost: lost.length, wrong, stopped: 0 });
}

function report(line: object): void {
  const file = process.env.SHOEPRINT_FAULTS_REPORT;
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/**
 * Expects that no event was lost or counted twice, and that findings, ledger, shoes and coups match
 * the fold of the events.
 */
export function expectNothingLost(played: readonly Round[]): void {
  expect(played.length).toBeGreaterThanOrEqual(ROUNDS);
  for (const { lost, twice, wrong, hung, acknowledged, findings } of played) {
    expect({ lost, twice, wrong, hung }).toEqual({ lost: [], twice: 0, wrong: [], hung: 0 });
    expect(acknowledged).toBeGreaterThanOrEqual(200 + AFTERWARDS);
    expect(findings).toBeGreaterThan(0);
  }
}
