import type { ExpectedFinding } from './expected.js';
import { simulate, type Simulation, type SimulationOptions } from './simulate.js';

/** What every table has in common, and the tables themselves. */
export interface TablesAsked extends Omit<SimulationOptions, 'table'> {
  readonly tables: readonly string[];
}

/** A floor's log: the lines of all tables, and what auditing them must find. */
export interface FloorSimulation {
  readonly lines: Generator<string, void, undefined>;
  /** Table by table; complete once `lines` has run to its end. */
  readonly expected: () => ExpectedFinding[];
}

/**
 * Several tables dealt at once: their lines in the order of their times, as one log of a floor would hold them. Faults with
 * no table of their own take the tables in turn. Throws `SimulationRefusal` where `simulate` does.
 */
export function simulateTables({ tables, faults = [], ...rest }: TablesAsked): FloorSimulation {
  const simulations = tables.map((table, i) =>
    simulate({ ...rest, table, faults: faults.filter((_, at) => at % tables.length === i) }),
  );
  return {
    lines: interleaved(simulations),
    expected: () => simulations.flatMap(({ expected }) => expected),
  };
}

function* interleaved(simulations: readonly Simulation[]): Generator<string, void, undefined> {
  const heads = simulations.flatMap(({ lines }) => {
    const first = lines.next();
    return first.done ? [] : [{ lines, line: first.value }];
  });
  while (heads.length > 0) {
    const first = heads.reduce((least, head) =>
      timeOn(head.line) < timeOn(least.line) ? head : least,
    );
    yield first.line;
    const next = first.lines.next();
    if (next.done) heads.splice(heads.indexOf(first), 1);
    else first.line = next.value;
  }
}

/** The time on a simulated line: always UTC to the millisecond, so that texts compare as times do. */
function timeOn(line: string): string {
  const at = line.indexOf('"time":"') + 8;
  return line.slice(at, at + 24);
}
