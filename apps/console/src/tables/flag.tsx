import type { ReactNode } from 'react';
import type { Severity } from '../game/road-coups.js';
import { useWords } from '../words/words.js';
import { SEVERITY_SHAPES } from '../game/severity.js';

/** The shape of a severity, read as words. */
export function Flag({ severity }: { readonly severity: Severity }): ReactNode {
  const words = useWords();
  return (
    <span
      className="tables-flag"
      data-severity={severity}
      role="img"
      aria-label={words('road.flag', { severity })}
    >
      {SEVERITY_SHAPES[severity]}
    </span>
  );
}
