import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DISPOSITIONS, FINDING_CODES, moneyText, POLICY_FORM } from '#audit';
import { publishedPolicy } from './published.js';

const page = readFileSync('docs/reviewing.md', 'utf8');
const policy = publishedPolicy('review@1');

/** Returns the rows of the table under a heading, without its head. */
const rowsUnder = (heading: string): string[][] =>
  (page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));

const coded = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

describe('docs/reviewing.md', () => {
  it('has exactly one row for every disposition, with a meaning, an example, and what the policy says', () => {
    const rows = rowsUnder('Dispositions');
    expect(rows.map(([code, , , needs, counts]) => [code, needs, counts])).toEqual(
      policy.dispositions.map(({ code, needs, counts }) => [
        `\`${code}\``,
        needs.join(', ') || 'nothing',
        counts ? 'yes' : 'no',
      ]),
    );
    expect(rows.map(([code]) => code)).toEqual(DISPOSITIONS.map((code) => `\`${code}\``));
    for (const [, meaning, example] of rows)
      for (const text of [meaning, example]) expect(text).toMatch(/^[A-Z].{30,}\.$/);
  });

  it('says when two persons are needed as the policy does', () => {
    const { severities, codes, dispositions, from } = policy.two;
    expect(rowsUnder('When two persons are needed').map(([, value]) => value)).toEqual([
      severities.join(', '),
      codes.join(', '),
      coded(dispositions),
      Object.entries(from)
        .map(([currency, amount]) => moneyText(amount, currency))
        .join(', '),
    ]);
  });

  it('describes every field of a policy, and no other', () => {
    const fields = rowsUnder('The fields').flatMap(([names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(fields).toEqual(Object.keys(POLICY_FORM.properties ?? {}));
  });

  it('names only findings that exist', () => {
    const named = [...page.matchAll(/\b[A-Z]{2}-\d{2}\b/g)].map(([code]) => code);
    expect(named.length).toBeGreaterThan(10);
    for (const code of named) expect(FINDING_CODES).toContain(code);
  });
});
