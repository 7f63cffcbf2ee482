import { simulate, type ExpectedFinding, type Finding, type SimulationOptions } from '#audit';
import { audit, type Audited } from '../kit/audit.js';
import { BOOK } from '../kit/house.js';

/** The names of all published rule documents. */
export const DOCUMENTS = [...BOOK.keys()].sort();

export const rulesNamed = (name: string) => {
  const rules = BOOK.get(name);
  if (!rules) throw new Error(`no rule document ${name}`);
  return rules;
};

/** Returns a whole simulated log and its expected findings. */
export function simulated(options: Omit<SimulationOptions, 'rules'> & { readonly rules: string }): {
  readonly lines: readonly string[];
  readonly expected: readonly ExpectedFinding[];
} {
  const { lines, expected } = simulate({ ...options, rules: rulesNamed(options.rules) });
  return { lines: [...lines], expected };
}

/** Returns a simulated log and its audit. */
export function auditedSimulation(
  options: Parameters<typeof simulated>[0],
): Audited & ReturnType<typeof simulated> {
  const log = simulated(options);
  return { ...log, ...audit(log.lines, { once: true }) };
}

/** Returns findings as the lines of a list: code, shoe, coup. */
export const inShort = (findings: readonly (Finding | ExpectedFinding)[]): string[] =>
  findings
    .map(
      ({ code, table, shoe, coup }) =>
        `${code} ${table} ${shoe}${coup === undefined ? '' : ` coup ${coup}`}`,
    )
    .sort();
