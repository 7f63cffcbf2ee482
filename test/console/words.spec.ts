import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { IntlMessageFormat } from 'intl-messageformat';
import { FINDING_CODES, REFUSALS } from '#audit';
import { shown } from '../../apps/console/src/words/shown.js';
import { BET_IDS } from '../../libs/audit/src/events/house.js';

const SOURCES = fileURLToPath(new URL('../../apps/console/src', import.meta.url));
const LANGUAGES = ['en', 'vi', 'zh-Hant', 'zh-Hans', 'pt'];
const GZIP_BYTES_MAX = 20 * 1024;

type Catalogue = Readonly<Record<string, string>>;

function catalogueOf(language: string): Catalogue {
  const folder = join(SOURCES, 'words', language);
  const parts = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return Object.assign(
    {},
    ...parts.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Catalogue),
  ) as Catalogue;
}

/** Returns the text of every source of the console. */
function sources(): string {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
    .join('\n');
}

/** Returns the names of the placeholders, in order. A language without plurals may just print one. */
function placeholdersOf(text: string, language: string): readonly string[] {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && 'value' in node && node.type !== 0 && node.type !== 7)
      found.add(String(node.value));
    for (const child of Object.values(node)) walk(child);
  };
  walk(new IntlMessageFormat(text, language).getAst());
  return [...found].sort();
}

const english = catalogueOf('en');

describe.each(LANGUAGES)('the words in %s', (language) => {
  const catalogue = catalogueOf(language);

  it('have every key of the English ones, and no other', () => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(english).sort());
  });

  it('are messages with the placeholders of the English ones', () => {
    for (const [key, text] of Object.entries(catalogue))
      expect([key, placeholdersOf(text, language)]).toEqual([
        key,
        placeholdersOf(english[key] ?? '', 'en'),
      ]);
  });

  it('are never empty, and have no space at an end', () => {
    const untidy = Object.entries(catalogue).filter(
      ([, text]) => text === '' || text !== text.trim(),
    );
    expect(untidy).toEqual([]);
  });

  it('take at most 20 kB on the way to the browser', () => {
    expect(gzipSync(JSON.stringify(catalogue), { level: 9 }).length).toBeLessThanOrEqual(
      GZIP_BYTES_MAX,
    );
  });

  it('explain every finding code, with a title that fits into a row', () => {
    const titles = FINDING_CODES.map((code) => catalogue[`${code}.title`] ?? '');
    expect(titles.filter((title) => title === '' || title.length > 46)).toEqual([]);
    const texts = FINDING_CODES.map((code) => catalogue[`${code}.text`] ?? '');
    expect(texts.filter((text) => text === '')).toEqual([]);
  });

  it('name every bet of the contract, and say why each act is refused', () => {
    const needed = [
      ...[...BET_IDS].map((bet) => `finding.bet.${bet}`),
      ...REFUSALS.flatMap((refusal) => [`reason.${refusal}`, `refusal.${refusal}`]),
    ];
    expect(needed.filter((key) => (catalogue[key] ?? '') === '')).toEqual([]);
  });
});

it('explains no code that the auditor does not have', () => {
  const explained = Object.keys(english).filter((key) => /^[A-Z]{2}-\d\d\./.test(key));
  const codes = FINDING_CODES.flatMap((code) => [`${code}.title`, `${code}.text`]);
  expect(explained.sort()).toEqual(codes.sort());
});

it('has no word that no screen uses', () => {
  const text = sources();
  const prefixes = [...text.matchAll(/`([a-z][A-Za-z]*(?:\.[\w-]+)*\.)\$\{/g)].map(
    ([, prefix]) => prefix as string,
  );
  // what is said of a code, such as `${code}.title`
  const ofCodes = [...text.matchAll(/`\$\{(?:\w+\.)*code\}(\.\w+)`/g)].map(
    ([, end]) => end as string,
  );
  const unused = Object.keys(english).filter(
    (key) =>
      !(/^[A-Z]{2}-\d\d\./.test(key) && ofCodes.some((end) => key.endsWith(end))) &&
      !text.includes(`'${key}'`) &&
      !prefixes.some((prefix) => key.startsWith(prefix)),
  );
  expect(unused).toEqual([]);
});

describe('a text of the record', () => {
  it('has escapes for what nobody sees, and is otherwise as it was written', () => {
    expect(shown('B07\u202e\u0007')).toBe(String.raw`B07\u202e\u0007`);
    const written = 'two lines\r\nwith\ta tab, 賭枱, tête-à-tête, a long dash – and \u200b';
    expect(shown(written)).toBe(written);
  });
});
