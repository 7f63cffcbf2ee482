import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ROLES } from '#api';

const page = readFileSync('docs/operating/security.md', 'utf8');
/** The rows of the table of ASVS: chapter, verdict, what holds, and the tests that show it. */
const rows = [...page.matchAll(/^\| V(\d+) [^|]*\| ([^|]*) \|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, chapter, verdict, holds, shown]) => ({
    chapter: Number(chapter),
    verdict,
    holds: holds ?? '',
    tests: [...(shown ?? '').matchAll(/`([^`]+)`/g)].map(([, test]) => test as string),
  }),
);

describe('docs/operating/security.md', () => {
  it('judges every chapter of ASVS 5.0 once', () => {
    expect(rows.map(({ chapter }) => chapter)).toEqual(Array.from({ length: 17 }, (_, i) => i + 1));
  });

  it('names tests that exist for what it calls passed, and what is open for the rest', () => {
    for (const { chapter, verdict, holds, tests } of rows) {
      expect(['pass', 'partly', 'fail', 'n/a']).toContain(verdict);
      expect({ chapter, open: /\*\*Open\*\*/.test(holds) }).toEqual({
        chapter,
        open: verdict === 'partly' || verdict === 'fail',
      });
      if (verdict === 'pass' || verdict === 'partly') expect(tests).not.toEqual([]);
      for (const test of tests)
        expect({ test, there: existsSync(test) }).toEqual({ test, there: true });
    }
  });

  it('says of every role what it can and cannot do', () => {
    const model = page.slice(0, page.indexOf('## Identities'));
    for (const role of ROLES) expect(model).toContain(role.replace('-', ' '));
  });
});
