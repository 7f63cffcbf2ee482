import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { houseFrom, RuleBook, type House } from '#audit';
import { readRules, type RuleDocument, type Rules } from '#baccarat';

const folder = new URL('../../rules/', import.meta.url);

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Every published rule document, as the auditor takes them. */
export const BOOK = new RuleBook(
  sha256,
  readdirSync(folder)
    .filter((file) => /^[a-z0-9-]+@\d+\.json$/.test(file))
    .map((file) => {
      const bytes = readFileSync(new URL(file, folder));
      const rules = readRules(JSON.parse(bytes.toString('utf8')) as RuleDocument, sha256(bytes));
      return [rules.ref, rules] as const;
    }),
);

export const HOUSE: House = houseFrom(BOOK);

/** Returns the published documents with some of them replaced. */
export const bookOf = (...changed: readonly Rules[]): RuleBook =>
  new RuleBook(sha256, [...BOOK, ...changed.map((rules) => [rules.ref, rules] as const)]);
