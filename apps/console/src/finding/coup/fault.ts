import type { Coup } from './whole.js';

/** Where the fault of a finding lies, as the api says it: at a card, or where a hand lacks one. */
export type Fault = NonNullable<NonNullable<Coup['raised']>[number]['fault']>;

type Raised = Pick<Coup, 'steps' | 'raised'>;

/**
 * Returns the step at which a fault lies: the index of its card, or the number of cards if a card
 * is missing after them. It is -1 for a finding about no single card.
 */
export function stepOf({ steps }: Pick<Coup, 'steps'>, fault: Fault | null | undefined): number {
  if (!fault) return -1;
  return fault.is === 'missing' ? steps.length : steps.findIndex(({ ref }) => ref === fault.ref);
}

/** Returns the codes of the findings whose fault lies at a step. */
export const codesAt = (coup: Raised, step: number): string[] =>
  (coup.raised ?? []).filter(({ fault }) => stepOf(coup, fault) === step).map(({ code }) => code);

/** Returns the fault of a finding about a coup; without a finding, the first fault of any. */
export function faultIn(coup: Raised, finding: string | undefined): Fault | null {
  const faults = (coup.raised ?? [])
    .filter(({ id, fault }) => fault && (finding === undefined || id === finding))
    .map(({ fault }) => fault);
  const [first = null] = faults.sort((a, b) => stepOf(coup, a) - stepOf(coup, b));
  return first;
}
