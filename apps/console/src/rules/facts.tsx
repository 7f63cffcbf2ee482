import type { ReactNode } from 'react';
import { type RuleDocument, sourceNotes } from '#baccarat';
import { type Words, useWords } from '../words/words.js';

interface FactProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** A fact with its name. */
export const Fact = ({ name, children }: FactProps): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface SourcesProps {
  readonly document: RuleDocument;
  /** A JSON pointer into the document. */
  readonly of: string;
}

/** The numbers of the sources of a value, and whether they are a regulator's. */
export function Sources({ document, of }: SourcesProps): ReactNode {
  const words = useWords();
  const notes = sourceNotes(document, of);
  if (notes.length === 0) return null;
  return <span className="muted">[{notesIn(words, notes)}]</span>;
}

const notesIn = (words: Words, notes: ReturnType<typeof sourceNotes>): string =>
  notes
    .map(({ number, isProvisional }) =>
      isProvisional ? words('rules.provisional', { number }) : String(number),
    )
    .join(', ');
