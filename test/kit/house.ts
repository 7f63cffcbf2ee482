import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { houseFrom, readPolicy, RuleBook, type House, type PolicyDocument } from '#audit';
import { readRules, type RuleDocument, type Rules } from '#baccarat';

const folder = new URL('../../rules/', import.meta.url);

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Returns every published document of a folder of rules, by its reference. */
function published<Document extends { readonly ref: string }>(
  under: string,
  read: (json: unknown, hash: string, text: string) => Document,
): (readonly [string, Document])[] {
  const place = new URL(under, folder);
  return readdirSync(place)
    .filter((file) => /^[a-z0-9-]+@\d+\.json$/.test(file))
    .map((file) => {
      const bytes = readFileSync(new URL(file, place));
      const text = bytes.toString('utf8');
      const document = read(JSON.parse(text), sha256(bytes), text);
      return [document.ref, document] as const;
    });
}

/** Every published rule document and review policy, as the auditor takes them. */
export const BOOK = new RuleBook(
  sha256,
  published('./', (json, ...file) => readRules(json as RuleDocument, ...file)),
  published('policies/', (json, ...file) => readPolicy(json as PolicyDocument, ...file)),
);

export const HOUSE: House = houseFrom(BOOK);

/** Returns the published documents with some of them replaced. */
export const bookOf = (...changed: readonly Rules[]): RuleBook =>
  new RuleBook(
    sha256,
    [...BOOK, ...changed.map((rules) => [rules.ref, rules] as const)],
    BOOK.policies,
  );

/** Returns the published documents with one deck or two permitted, and other changes. */
const smallBook = (changed: Partial<RuleDocument> = {}): RuleBook =>
  bookOf(
    ...[...BOOK.values()].map((rules) => ({
      ...rules,
      document: { ...rules.document, ...changed, decks: [1, 2, ...rules.document.decks] },
    })),
  );

/**
 * The published documents, but each may also be played with one deck or two: a shoe of one deck
 * reaches its cut card after some six coups.
 */
export const SMALL_BOOK = smallBook();

/**
 * The same, but one more coup is permitted if the cut card shows inside a coup. The published
 * documents permit as many as between coups.
 */
export const CUT_BOOK = smallBook({ cutCard: { insideCoup: 2, betweenCoups: 1 } });
