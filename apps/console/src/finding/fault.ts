import type { Coup } from './whole.js';

type Named = Pick<Coup, 'steps' | 'then'>;

/**
 * Returns where the fault of a finding is: the index of the card, the number of cards if it is the
 * card that is missing after them, or -1 if the finding is about no card. A finding about a missing
 * card names all that came before.
 */
export function faultOf({ steps, then }: Named, finding: string): number {
  const named = steps.flatMap(({ findings = [] }, i) => (findings.includes(finding) ? [i] : []));
  const isMissing = named.length > 1 && then.some(({ step }) => step === 'card');
  return isMissing ? steps.length : (named.at(-1) ?? -1);
}

/** Returns the codes of the findings whose fault is at a place that `faultOf` returns. */
export const codesAt = (coup: Named & Pick<Coup, 'raised'>, place: number): string[] =>
  (coup.raised ?? []).filter(({ id }) => faultOf(coup, id) === place).map(({ code }) => code);

/** Returns the first place where the fault of any finding is, or -1. */
export function firstFault(coup: Named & Pick<Coup, 'raised'>): number {
  const places = (coup.raised ?? []).map(({ id }) => faultOf(coup, id));
  const [first = -1] = places.filter((place) => place >= 0).sort((a, b) => a - b);
  return first;
}
