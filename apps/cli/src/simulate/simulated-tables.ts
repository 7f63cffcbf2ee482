import { simulateTables, SimulationRefusal, type FloorSimulation, type TablesAsked } from '#audit';
import { Refusal } from '../refusal.js';

/**
 * Returns the tables of `simulateTables`. Throws `Refusal` if the simulator refuses, at once or
 * while it deals.
 */
export function dealtTables(asked: TablesAsked): FloorSimulation {
  const { lines, ...expected } = refusing(() => simulateTables(asked));
  return { lines: refusingWhileDealing(lines), ...expected };
}

function* refusingWhileDealing(lines: FloorSimulation['lines']): FloorSimulation['lines'] {
  for (;;) {
    const next = refusing(() => lines.next());
    if (next.done) return;
    yield next.value;
  }
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SimulationRefusal) throw new Refusal(error.message);
    throw error;
  }
}
