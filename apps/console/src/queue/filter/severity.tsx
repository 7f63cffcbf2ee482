import type { ReactNode } from 'react';
import { useWords } from '../../words/words.js';
import { SEVERITY_SHAPES } from '../../game/severity.js';

/** The severity of a finding: its shape, its number and its color. */
export function Severity({ of }: { readonly of: 1 | 2 | 3 | 4 }): ReactNode {
  const words = useWords();
  return (
    <span className="queue-severity" data-severity={of}>
      <span className="only-spoken">{words('queue.severity', { severity: of })}</span>
      <span aria-hidden>
        {SEVERITY_SHAPES[of]}
        {of}
      </span>
    </span>
  );
}
