import { simulate, SimulationRefusal, type ExpectedFinding, type Simulation, type SimulationOptions } from '#audit';
import { Refusal } from './refusal.js';

/** What every table has in common, and the tables themselves. */
export interface TablesAsked extends Omit<SimulationOptions, 'table'> {
  readonly tables: readonly string[];
}

/**
 * Several tables dealt at once: their lines in the order of their times, as one log of a floor would hold them, and what
 * must be found, table by table, complete once the lines have run out. Faults with no table of their own take the tables in
 * turn. Refuses (`Refusal`) what the simulator refuses.
 */
export function simulateTables({ tables, faults = [], ...rest }: TablesAsked): { readonly lines: Generator<string>; readonly expected: () => ExpectedFinding[] } {
  const simulations = refusing(() =>
    tables.map((table, i) => simulate({ ...rest, table, faults: faults.filter((_, at) => at % tables.length === i) })),
  );
  return { lines: interleaved(simulations), expected: () => simulations.flatMap(({ expected }) => expected) };
}

function* interleaved(simulations: readonly Simulation[]): Generator<string> {
  const next = (lines: Simulation['lines']): string | undefined => {
    const { done, value } = refusing(() => lines.next());
    return done ? undefined : value;
  };
  const heads = simulations.flatMap(({ lines }) => {
    const line = next(lines);
    return line === undefined ? [] : [{ lines, line }];
  });
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (timeOn(head.line) < timeOn(least.line) ? head : least));
    yield first.line;
    const line = next(first.lines);
    if (line === undefined) heads.splice(heads.indexOf(first), 1);
    else first.line = line;
  }
}

/** The time on a simulated line: always UTC to the millisecond, so that texts compare as times do. */
function timeOn(line: string): string {
  const at = line.indexOf('"time":"') + 8;
  return line.slice(at, at + 24);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SimulationRefusal) throw new Refusal(error.message);
    throw error;
  }
}
