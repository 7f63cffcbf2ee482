import type { ReactNode } from 'react';
import type { Severity } from '../game/road-coups.js';
import { useWords } from '../words/words.js';

const SHAPES: Readonly<Record<Severity, string>> = { 1: '■', 2: '▲', 3: '●', 4: '○' };

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
      {SHAPES[severity]}
    </span>
  );
}
