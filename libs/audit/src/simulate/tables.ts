import type { ExpectedFinding, ExpectedReview } from './expected.js';
import { simulate, type Simulation, type SimulationOptions } from './simulate.js';

/** The options of all tables, and the tables. */
export interface TablesAsked extends Omit<SimulationOptions, 'table'> {
  readonly tables: readonly string[];
}

/** A floor's log: the lines of all tables, and the findings that an audit must report. */
export interface FloorSimulation {
  readonly lines: Generator<string, void, undefined>;
  /** Table by table. Complete once `lines` has ended. */
  readonly expected: () => ExpectedFinding[];
  /** As `expected`. */
  readonly reviews: () => ExpectedReview[];
}

/**
 * Deals several tables at once, with their lines in order of time, as one log of a floor. Faults
 * take the tables in turn, and unlawful reviews those tables that have faults. Throws
 * `SimulationRefusal` as `simulate` does.
 */
export function simulateTables({
  tables,
  faults = [],
  reviews,
  ...rest
}: TablesAsked): FloorSimulation {
  const faulty = Math.max(1, Math.min(tables.length, faults.length));
  const simulations = tables.map((table, i) =>
    simulate({
      ...rest,
      table,
      faults: everyNth(faults, tables.length, i),
      ...(reviews && {
        reviews: { ...reviews, faults: everyNth(reviews.faults ?? [], faulty, i) },
      }),
    }),
  );
  return {
    lines: interleaved(simulations),
    expected: () => simulations.flatMap(({ expected }) => expected),
    reviews: () => simulations.flatMap(({ reviews: expected }) => expected),
  };
}

const everyNth = (list: readonly string[], n: number, from: number): string[] =>
  list.filter((_, at) => at % n === from);

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

/**
 * Returns the time of a simulated line. It is always UTC to the millisecond, so texts compare as
 * times do.
 */
function timeOn(line: string): string {
  const at = line.indexOf('"time":"') + 8;
  return line.slice(at, at + 24);
}
