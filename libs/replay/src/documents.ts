import { lintPolicy, readPolicy, RuleBook, type PolicyDocument } from '#audit';
import { lint, readRules, type RuleDocument } from '#baccarat';
import { hexOf, ReplayFault, utf8Of, type Sha256 } from '#evidence';

const POLICIES = 'policies/';

/** A document of a package: its JSON, its hash in hexadecimal digits, and its text. */
interface Document {
  readonly json: unknown;
  readonly hash: string;
  readonly text: string;
}

/**
 * Returns the rule documents and review policies of a package, by their ids. Throws `ReplayFault`
 * for one that the linter rejects or that has another id.
 */
export function bookOf(documents: ReadonlyMap<string, Uint8Array>, sha256: Sha256): RuleBook {
  const book = new RuleBook((text) => hexOf(sha256(utf8Of(text))));
  for (const [id, bytes] of documents) {
    const document = parsed(id, bytes, sha256);
    const isPolicy = id.startsWith(POLICIES);
    const { problems } = isPolicy ? lintPolicy(document.json) : lint(document.json);
    const [fault] = problems;
    if (fault) throw new ReplayFault(`${id}: ${fault.pointer} ${fault.problem}`);
    const ref = isPolicy ? addPolicy(book, document) : addRules(book, document);
    if (id !== (isPolicy ? `${POLICIES}${ref}` : ref))
      throw new ReplayFault(`${id}: the document has another id, ${ref}`);
  }
  return book;
}

function parsed(id: string, bytes: Uint8Array, sha256: Sha256): Document {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { json: JSON.parse(text) as unknown, hash: hexOf(sha256(bytes)), text };
  } catch {
    throw new ReplayFault(`${id}: the document is not JSON in UTF-8`);
  }
}

function addRules(book: RuleBook, { json, hash, text }: Document): string {
  const rules = readRules(json as RuleDocument, hash, text);
  book.set(rules.ref, rules);
  return rules.ref;
}

function addPolicy(book: RuleBook, { json, hash, text }: Document): string {
  const policy = readPolicy(json as PolicyDocument, hash, text);
  book.policies.set(policy.ref, policy);
  return policy.ref;
}
