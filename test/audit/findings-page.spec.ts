import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, codesWhere, FINDING_CODES, type FindingCode } from '#audit';
import { heard, readStory, told } from '../kit/story.js';

const page = readFileSync(new URL('../../docs/findings.md', import.meta.url), 'utf8');
const entries = page
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    code: text.slice(0, 5) as FindingCode,
    severity: Number(/^Severity: (\d)$/m.exec(text)?.[1]),
    parts: ['*Meaning.* ', '*Raised* ', '*Source.* '].map((part) => text.split(part).length - 1),
    examples: [...text.matchAll(/^```story\n([^]*?)^```$/gm)].map(([, story]) => story as string),
  }));

describe('docs/findings.md', () => {
  it('has exactly one entry for every code, in the order of the catalogue', () => {
    expect(entries.map(({ code }) => code)).toEqual(FINDING_CODES);
  });

  it('names the findings about the shoe as a whole', () => {
    const [, named] = /name no\ncoup: ([^.]*)\./.exec(page) ?? [];
    expect(named?.split(', ')).toEqual(codesWhere(({ about }) => about === 'shoe'));
  });

  it.each(entries)(
    'states the severity, meaning, trigger and source of $code',
    ({ code, severity, parts }) => {
      expect(severity).toBe(CATALOGUE[code].severity);
      expect(parts).toEqual([1, 1, 1]);
    },
  );

  it.each(entries)(
    'shows $code in an example with exactly the findings that it names',
    ({ code, examples }) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const story = readStory(example, `docs/findings.md, ${code}`);
        expect(heard(story)).toEqual(told(story));
        expect(story.finds.map((find) => find.slice(0, 5))).toContain(code);
      }
    },
  );
});
