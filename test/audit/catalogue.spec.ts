import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, codesWhere, FINDING_CODES, type FindingCode, type Report } from '#audit';
import { audit, type Sent } from '../kit/audit.js';
import { readStory } from '../kit/story.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');
const contract = page('contract.md');

const wordsOf = (values: readonly string[]): string => values.join(', ') || '-';

/** Returns the table of codes as docs/contract.md must show it. */
const codesTable = (): string =>
  [
    '| code | severity | about | a gap hides it by its | a void of its coup | a correction | reports |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...FINDING_CODES.map((code) => {
      const { severity, about, gap, onVoid, onCorrection, reports } = CATALOGUE[code];
      const cells = [
        code,
        severity,
        about,
        wordsOf(gap),
        VOIDS[onVoid],
        CORRECTIONS[onCorrection],
        wordsOf(reports),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
const VOIDS = {
  withdrawn: 'withdraws it',
  void: 'marks it',
  'void if earlier': 'marks it if raised before',
  stays: '-',
} as const;
const CORRECTIONS = {
  coup: 'judges its coup again',
  shoe: 'judges its shoe again',
  stays: '-',
} as const;

describe('the catalogue of finding codes', () => {
  it('equals the table of codes in docs/contract.md', () => {
    const [, table] = /<!-- codes:begin [^\n]*\n([^]*?)<!-- codes:end -->/.exec(contract) ?? [];
    expect(table?.trim()).toBe(codesTable());
  });

  it('names for each kind of report the codes that docs/contract.md lists', () => {
    const needed = codesWhere(({ needs }) => needs.length > 0);
    const kinds = [...new Set(needed.flatMap((code) => CATALOGUE[code].needs))];
    for (const kind of kinds)
      expect([kind, listedUnder(kind)]).toEqual([
        kind,
        needed.filter((code) => CATALOGUE[code].needs.includes(kind)),
      ]);
  });

  it.each(codesWhere(({ needs }) => needs.length > 0))(
    'allows %s only if the table reports what the code needs',
    (code) => {
      const events = exampleOf(code);
      expect(codesIn(events)).toContain(code);
      for (const kind of CATALOGUE[code].needs)
        expect([kind, codesIn(withoutReport(events, kind))]).not.toEqual([
          kind,
          expect.arrayContaining([code]),
        ]);
    },
  );

  it('is the only place that infers anything from the spelling of a code', () => {
    const spelled = sources().flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          SPELLED.test(withoutComment(line))
            ? [`${file.slice(root.length)}:${i + 1}: ${line}`]
            : [],
        ),
    );
    expect(spelled).toEqual([]);
  });

  it.each([
    "code.startsWith('DV-')",
    '/^(SH|CM)-/.test(code)',
    '/^PY-0[1-5]$/.test(code)',
    "f.code like 'SH-%'",
    "code.slice(0, 2) === 'DV'",
    "['DL', 'TC'].includes(code.split('-')[0])",
  ])('recognizes %s as an inference from spelling', (line) => {
    expect(SPELLED.test(line)).toBe(true);
  });
});

/** Matches the letters of a family of codes without a whole code after them. */
const SPELLED = /(?<![A-Za-z0-9_#])(?:SH|DL|TC|RS|BT|PY|CM|DV|PR)(?!-\d\d(?!\[))(?=[-'"`|)%\\[])/;

const withoutComment = (line: string): string =>
  line.replace(/^\s*(?:\/\*\*?|\*|\/\/).*$/, '').replace(/ \/\/ .*$/, '');

const sources = (): string[] =>
  ['apps', 'libs', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs|js)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(root, folder, name)),
  );

/**
 * Returns the codes that the row of a kind names in the table of absences, with ranges written out.
 */
function listedUnder(kind: Report): FindingCode[] {
  const row = new RegExp(`^\\| ${kind} \\| (.*) \\|$`, 'm').exec(contract)?.[1] ?? '';
  const named = [...row.matchAll(/([A-Z]{2}-\d\d)(?: to ([A-Z]{2}-\d\d))?/g)];
  return FINDING_CODES.filter((code) =>
    named.some(([, from = '', to = from]) => {
      const at = FINDING_CODES.indexOf(code);
      const [first, last] = [from, to].map((each) => FINDING_CODES.indexOf(each as FindingCode));
      return (first as number) <= at && at <= (last as number);
    }),
  );
}

/** Returns the events of a code's first example in docs/findings.md. */
function exampleOf(code: FindingCode): readonly Sent[] {
  const entry = page('findings.md')
    .split(/^### /m)
    .find((text) => text.startsWith(code));
  const [, story = ''] = /^```story\n([^]*?)^```$/m.exec(entry ?? '') ?? [];
  return readStory(story, code).events;
}

const codesIn = (events: readonly Sent[]): FindingCode[] =>
  audit(events).findings.map(({ code }) => code);

const withoutReport = (events: readonly Sent[], kind: Report): Sent[] =>
  events.map((event) => {
    const data = event.data as { readonly reports?: readonly Report[] };
    if (!data.reports) return event;
    return { ...event, data: { ...data, reports: data.reports.filter((each) => each !== kind) } };
  });
