import { type ReactNode, useEffect, useState } from 'react';
import { useMe } from '../app/me.js';
import { useFormats } from '../words/formats.js';
import { useWords } from '../words/words.js';
import { Said } from './said.js';

interface Props {
  /** The positions of the log that the page includes. */
  readonly positions: string;
  /** The hash over what a ruling would rest on, if the page shows a finding. */
  readonly evidence: string | null;
}

/** What only paper shows: who printed it and when, and what of the record it rests on. */
export function PrintFoot({ positions, evidence }: Props): ReactNode {
  const words = useWords();
  const { dateTime, zone } = useFormats();
  const { person, id } = useMe();
  const [at, setAt] = useState(() => new Date().toISOString());
  useEffect(() => {
    const note = (): void => setAt(new Date().toISOString());
    addEventListener('beforeprint', note);
    return () => removeEventListener('beforeprint', note);
  }, []);
  return (
    <footer className="print-only">
      <p>
        <Said>
          {words('finding.printedBy', { person: person ?? id, time: `${dateTime(at)} (${zone})` })}
        </Said>
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
