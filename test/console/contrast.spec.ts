import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** The colors of each theme, read from the style sheet that the console ships. */
const css = readFileSync('apps/console/src/theme/tokens.css', 'utf8');
const themes = Object.fromEntries(
  [...css.matchAll(/\[data-theme='([\w-]+)'\] \{([^}]*)\}/g)].map(([, name, body]) => [
    name as string,
    Object.fromEntries(
      [...(body as string).matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, token, color]) => [
        token as string,
        color as string,
      ]),
    ),
  ]),
) as Record<string, Record<string, string>>;

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

const SEVERITIES = ['severity-1', 'severity-2', 'severity-3', 'severity-4'];
const TEXTS = ['text', 'muted', 'accent', ...SEVERITIES, 'banker', 'player', 'tie'];
const SUITS = ['ink', 'hearts', 'clubs', 'diamonds'];
const SHAPES = ['line', 'focus'];

/** Every color that is read, with what it is read on. */
const PAIRS: readonly (readonly [color: string, ground: string, kind: 'text' | 'shape'])[] = [
  ...TEXTS.flatMap((color) =>
    ['surface', 'background'].map((ground) => [color, ground, 'text'] as const),
  ),
  ...SHAPES.flatMap((color) =>
    ['surface', 'background'].map((ground) => [color, ground, 'shape'] as const),
  ),
  ['on-accent', 'accent', 'text'],
  ['on-felt', 'felt', 'text'],
  ...SUITS.map((color) => [color, 'card', 'text'] as const),
];

it('has the four themes, each with the same colors', () => {
  expect(Object.keys(themes)).toEqual(['light', 'dark', 'surveillance', 'high-contrast']);
  const [first = []] = Object.values(themes).map((theme) => Object.keys(theme));
  for (const theme of Object.values(themes)) expect(Object.keys(theme)).toEqual(first);
});

describe.each(Object.entries(themes))('the theme %s', (name, theme) => {
  const least = { text: name === 'high-contrast' ? 7 : 4.5, shape: 3 };

  it.each(PAIRS)('has enough contrast for %s on %s', (color, ground, kind) => {
    const ratio = contrast(theme[color] as string, theme[ground] as string);
    expect(ratio).toBeGreaterThanOrEqual(least[kind]);
  });
});

it('is never bright in a dark room: no large area of the theme surveillance shines', () => {
  const { background, surface, felt } = themes['surveillance'] as Record<string, string>;
  for (const color of [background, surface, felt])
    expect(luminance(color as string)).toBeLessThanOrEqual(0.02);
});

const SOURCES = 'apps/console/src';
/** Nothing is read in the shade behind a sheet, which is the same in each theme. */
const SHADE = 'rgb(0 0 0 / 55%)';
const COLOR =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(|:\s*(?:black|white|red|green|blue|gr[ae]y|orange|yellow)\b/gi;

/** Returns a style sheet without what is only for paper, which is black on white in each theme. */
function onScreen(sheet: string): string {
  let rest = sheet;
  for (let at = rest.indexOf('@media print'); at >= 0; at = rest.indexOf('@media print')) {
    let depth = 0;
    let end = rest.indexOf('{', at);
    do {
      if (rest[end] === '{') depth += 1;
      if (rest[end] === '}') depth -= 1;
      end += 1;
    } while (depth > 0);
    rest = rest.slice(0, at) + rest.slice(end);
  }
  return rest;
}

it('draws nothing in a color that is not of a theme', () => {
  const sheets = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.css') && !name.endsWith('tokens.css'),
  );
  expect(sheets.length).toBeGreaterThan(10);
  const found = sheets.flatMap((name) => {
    const sheet = readFileSync(`${SOURCES}/${name}`, 'utf8').replaceAll(SHADE, '');
    return (onScreen(sheet).match(COLOR) ?? []).map((color) => `${name}: ${color}`);
  });
  expect(found).toEqual([]);
});
