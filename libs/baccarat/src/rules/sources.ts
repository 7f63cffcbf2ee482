import type { RuleDocument, RuleSource } from './rule-document.js';

/** The text that a value of a rule document comes from. */
export interface SourceOfValue extends RuleSource {
  /** Whether that text is not a regulator's. */
  readonly provisional: boolean;
}

/**
 * Returns the sources of the value at a JSON pointer of a rule document: its own, that of the value
 * that contains it, or those of its parts. Each is named once.
 */
export function sourcesAt(document: RuleDocument, pointer: string): SourceOfValue[] {
  const { provenance } = document;
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    if (provenance[at]) return sourcesOf(document, [at]);
  }
  return sourcesOf(
    document,
    Object.keys(provenance).filter((at) => at.startsWith(`${pointer}/`)),
  );
}

function sourcesOf(
  { sources, provenance }: RuleDocument,
  pointers: readonly string[],
): SourceOfValue[] {
  const found = new Map<string, SourceOfValue>();
  for (const pointer of pointers) {
    const { source, provisional = false } = provenance[pointer] ?? {};
    const text = source === undefined ? undefined : sources[source];
    if (text) found.set(`${source} ${provisional}`, { ...text, provisional });
  }
  return [...found.values()];
}
