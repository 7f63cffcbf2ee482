import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { houseFrom, type House, type RuleBook } from '#audit';
import { readRules, type RuleDocument } from '#baccarat';

const folder = new URL('../../rules/', import.meta.url);

/** Every published rule document, as the auditor takes them. */
export const BOOK: RuleBook = new Map(
  readdirSync(folder)
    .filter((file) => /^[a-z0-9-]+@\d+\.json$/.test(file))
    .map((file) => {
      const bytes = readFileSync(new URL(file, folder));
      const rules = readRules(
        JSON.parse(bytes.toString('utf8')) as RuleDocument,
        createHash('sha256').update(bytes).digest('hex'),
      );
      return [rules.ref, rules] as const;
    }),
);

export const HOUSE: House = houseFrom(BOOK);
