import { appendFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { isAsked } from './scenarios.js';

/** What was counted in a round: the records in the log, all sealed, or why the round failed. */
type SealingRound = { readonly acknowledged: number } | { readonly failed: string };

/** Returns the name of a scenario in the table of `npm run faults`. */
const titleOf = (scenario: string): string => `sealing: ${scenario}`;

/** Returns what declares the test of a scenario: `it`, or a skipped one if others are selected. */
export const sealingTest = (scenario: string): typeof it | typeof it.skip =>
  isAsked(titleOf(scenario)) ? it : it.skip;

/** Appends a line for the table of `npm run faults`. */
export function reportRound(scenario: string, round: SealingRound): void {
  const file = process.env.SHOEPRINT_FAULTS_REPORT;
  const counted = 'failed' in round ? {} : { lost: 0, twice: 0, wrong: [], copies: 0 };
  const line = { scenario: titleOf(scenario), stopped: 0, ...counted, ...round };
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
