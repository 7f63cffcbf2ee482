import type { RuleDocument } from './rule-document.js';

/** Where a value of a document comes from: the number of its source, counted from 1. */
export interface SourceNote {
  readonly number: number;
  /** Whether the source is not a regulator's text. */
  readonly isProvisional: boolean;
}

/**
 * Returns the sources of a value of a rule document, each once: its own, those of the value that
 * contains it, and those of its parts. `pointer` is a JSON pointer into the document.
 */
export function sourceNotes(
  { sources, provenance }: Pick<RuleDocument, 'sources' | 'provenance'>,
  pointer: string,
): readonly SourceNote[] {
  const numbers = Object.keys(sources);
  const found = new Map<string, SourceNote>();
  for (const [at, { source, provisional }] of Object.entries(provenance)) {
    if (at !== pointer && !at.startsWith(`${pointer}/`) && !pointer.startsWith(`${at}/`)) continue;
    const note = { number: numbers.indexOf(source) + 1, isProvisional: provisional === true };
    found.set(`${note.number} ${note.isProvisional}`, note);
  }
  return [...found.values()];
}
