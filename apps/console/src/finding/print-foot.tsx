import type { ReactNode } from 'react';
import { Printed } from '../app/printed.js';
import { useWords } from '../words/words.js';

interface Props {
  /** The positions of the log that the page includes. */
  readonly positions: string;
  /** The hash over what a ruling would rest on, if the page shows a finding. */
  readonly evidence: string | null;
}

/** What only paper shows: who printed it and when, and what of the record it rests on. */
export function PrintFoot({ positions, evidence }: Props): ReactNode {
  const words = useWords();
  return (
    <footer className="print-only">
      <p>
        <Printed />
      </p>
      {evidence !== null && (
        <p>
          {words('finding.evidence')}: SHA-256 <code>{evidence}</code>
        </p>
      )}
      <p>
        {words('finding.positions')}: <code>{positions}</code>
      </p>
    </footer>
  );
}
