import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { System } from '../faults/system.js';
import { type Played, play, roundOf } from './kill-round.js';

/** Ten rounds in `npm test`, 200 in `npm run faults:gateway`, or one of them. */
const ROUNDS = Number(process.env.SHOEPRINT_GATEWAY_ROUNDS ?? 10);
const FIRST = Number(process.env.SHOEPRINT_GATEWAY_FIRST ?? 1);
const SEED = Number(process.env.SHOEPRINT_GATEWAY_SEED ?? 2026);
const REPORT = process.env.SHOEPRINT_GATEWAY_REPORT;

jest.setTimeout(180_000);

let system: System;
let reader: string;
beforeAll(async () => {
  system = await System.start({ log: 'postgres' });
  reader = await system.person('regulator', 'regulator');
});
afterAll(() => system?.close());

/** Writes a line for the table of `npm run faults:gateway`. */
const report = (line: object): void => {
  if (REPORT !== undefined) appendFileSync(REPORT, `${JSON.stringify(line)}\n`);
};

const rounds = Array.from({ length: ROUNDS }, (_, at) => roundOf(FIRST + at, SEED));

describe('a shoe is on the log, whatever is killed or cut while it is dealt', () => {
  it.each(
    rounds.map((round) => {
      const strikes = round.strikes.map(({ target, after }) => `${target} after ${after} ms`);
      return { round, name: `round ${round.number}, ${round.protocol}: ${strikes.join(', ')}` };
    }),
  )('$name', async ({ round }) => {
    const { protocol, number, strikes } = round;
    const targets = strikes.map(({ target }) => target);
    let played: Played;
    try {
      played = await play(system, round, reader);
    } catch (error) {
      report({ number, protocol, targets, failed: String(error) });
      throw new Error(`seed ${SEED}\n${system.lastWords()}`, { cause: error });
    }
    report({ number, protocol, targets, ...played });
    expect(played.wrong).toEqual([]);
    expect(system.endedByThemselves).toEqual([]);
  });
});
