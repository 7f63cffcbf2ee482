import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const page = readFileSync('docs/operating/time-limits.md', 'utf8');

/** The sources of the programs on a server, without those of the pages in a browser. */
const sources = new Map(
  ['apps', 'libs'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((name) => /\/src\/.*\.ts$/.test(name) && !/\.(d|spec)\.ts$/.test(name))
      .filter((name) => !name.startsWith('apps/console/'))
      .map((name) => [name, readFileSync(name, 'utf8')] as const),
  ),
);

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };
/** A limit as the page states it: names in code, perhaps a product, and the time. */
const LIMIT = /((?:`\w+` × )*`\w+`), ([\d.]+) (ms|s|min|h)\b/g;

/** The limits of the page: names that are multiplied, and milliseconds. */
const limits = [...page.matchAll(LIMIT)].map(([said, names, amount, unit]) => ({
  said,
  names: [...(names as string).matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
  ms: Number(amount) * (UNITS[unit as string] as number),
}));

/**
 * Returns what the code assigns to a name, as a constant, as a default or as a member of an object,
 * in each file that does.
 */
function assigned(name: string): { readonly file: string; readonly value: string }[] {
  const constant = new RegExp(String.raw`\bconst ${name}\b[^=\n]*= ([^;]+);`, 'g');
  const byDefault = new RegExp(String.raw`\b${name} = ([\w. */+-]+)[,)]`, 'g');
  const member = new RegExp(String.raw`\b${name}: ([\w. */()+-]+)[,;\n}]`, 'g');
  return [...sources].flatMap(([file, text]) =>
    [constant, byDefault, member]
      .flatMap((form) => [...text.matchAll(form)])
      .map(([, value]) => ({
        file,
        value: value as string,
      })),
  );
}

/** Returns the constants of this name, those of the same file first. */
function valuesOf(name: string, from: string): number[] {
  const all = assigned(name);
  const own = all.filter(({ file }) => file === from);
  return (own.length > 0 ? own : all).flatMap(({ file, value }) => computed(value, file));
}

/** Returns the values of a sum, difference or product of numbers and names, or none. */
function computed(text: string, file: string): number[] {
  const plain = text.replaceAll('_', (mark, at: number) =>
    /\d/.test(text[at - 1] ?? '') && /\d/.test(text[at + 1] ?? '') ? '' : mark,
  );
  for (const [sign, by] of OPERATIONS) {
    const at = plain.lastIndexOf(sign);
    if (at < 0) continue;
    const [left, right] = [plain.slice(0, at), plain.slice(at + sign.length)];
    return computed(left, file).flatMap((one) =>
      computed(right, file).map((other) => by(one, other)),
    );
  }
  const term = plain.trim();
  if (/^\d+(\.\d+)?$/.test(term)) return [Number(term)];
  return /^[A-Z]\w*$/.test(term) ? valuesOf(term, file) : [];
}

const OPERATIONS: readonly (readonly [string, (left: number, right: number) => number])[] = [
  [' + ', (left, right) => left + right],
  [' - ', (left, right) => left - right],
  [' * ', (left, right) => left * right],
];

/** Returns the numbers that a name stands for: its value, or those within an object. */
function numbersOf(name: string): number[] {
  return assigned(name).flatMap(({ file, value }) => {
    const whole = computed(value, file);
    if (whole.length > 0) return whole;
    return [...value.matchAll(/\b\d[\d_]*\b/g)].map(([text]) => Number(text.replaceAll('_', '')));
  });
}

/** Returns each product of one number of each name. */
const products = (names: readonly string[]): number[] =>
  names.reduce<number[]>(
    (all, name) => all.flatMap((one) => numbersOf(name).map((other) => one * other)),
    [1],
  );

/** Code that opens a connection, or makes a client that does. */
const OPENS =
  /new pg\.(Client|Pool)\(|new (Pool|Client|BoundedClient|DataSource)\(|= newClient\(|return newClient\(|new kafkajs\.Kafka\(|(await |=> |return |= )fetch\(|\b(http|https)\.request\(|\b(net|tls)\.connect\(|createConnection\(|\.(admin|consumer|producer)\(/;

/** Limits by their names that no call waits for: how long something is valid, or may work. */
const NOT_OF_CALLS = new Set([
  'AGE_MS_MAX', // the oldest seal that is not due
  'CLOCK_MS_MAX', // the difference of two clocks
  'FOLD_MS_MAX', // the work of a check
  'GRANT_MS_MAX', // until a grant must be confirmed
  'RESET_MS_MAX', // until a code must be used
  'REST_MS_MAX', // reading rests while events come
]);

describe('docs/operating/time-limits.md', () => {
  it('states limits that the code has, by their names and values', () => {
    expect(limits.length).toBeGreaterThan(30);
    for (const { said, names, ms } of limits)
      expect({ said, inCode: products(names) }).toEqual({
        said,
        inCode: expect.arrayContaining([ms]),
      });
  });

  it('has every limit of the code that is named as one, unless no call waits for it', () => {
    const named = new Set(limits.flatMap(({ names }) => names));
    const inCode = [...sources.values()].flatMap((text) =>
      [...text.matchAll(/\bconst (\w+_MS_MAX) =/g)].map(([, name]) => name as string),
    );
    const missing = [...new Set(inCode)].filter((name) => !named.has(name));
    expect(missing.sort()).toEqual([...NOT_OF_CALLS].sort());
  });

  it('names every file that opens connections, and no other', () => {
    const named = [...page.matchAll(/^\| `((?:apps|libs)\/[^`]+\.ts)` \|/gm)].map(
      ([, file]) => file,
    );
    const opening = [...sources].filter(([, text]) => OPENS.test(text)).map(([file]) => file);
    expect(named.sort()).toEqual(opening.sort());
  });

  it('says what happens after each limit', () => {
    const rows = [
      ...page.matchAll(/^\| (?!-|call |statements |file )([^|`]+)\|([^|]*)\|([^|]*)\|$/gm),
    ];
    expect(rows.length).toBeGreaterThan(20);
    for (const [row, , limit, after] of rows)
      expect({
        row,
        isSaid: (limit as string).trim().length > 3 && (after as string).trim().length > 10,
      }).toEqual({ row, isSaid: true });
  });
});
