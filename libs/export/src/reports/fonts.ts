import { createRequire } from 'node:module';
import { openSync, type Font } from 'fontkit';

const require = createRequire(import.meta.url);

/** The fonts of reports: Latin with Vietnamese, and Chinese. The first with a character counts. */
const FILES = {
  Latin:
    require.resolve('@expo-google-fonts/be-vietnam-pro/400Regular/BeVietnamPro_400Regular.ttf'),
  Traditional:
    require.resolve('@expo-google-fonts/noto-sans-tc/400Regular/NotoSansTC_400Regular.ttf'),
  Simplified:
    require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'),
} as const;
/** The name of a font. */
export type FontName = keyof typeof FILES;

/** The names of the fonts, in the order in which they are asked for a character. */
export const FONT_NAMES: readonly FontName[] = ['Latin', 'Traditional', 'Simplified'];

/** Returns the file of a font. */
export const fontFile = (name: FontName): string => FILES[name];

const opened = new Map<FontName, Font>();

function fontNamed(name: FontName): Font {
  const known = opened.get(name);
  if (known) return known;
  const font = openSync(fontFile(name));
  if (!('hasGlyphForCodePoint' in font))
    throw new Error(`the font file of ${name} has several fonts`);
  opened.set(name, font);
  return font;
}

/** A part of a text in one font. */
export interface Run {
  readonly text: string;
  readonly font: FontName;
}

/**
 * Parts a text by the fonts that have its characters. A character that none has is written as its
 * code point, such as `U+1F600`: a missing glyph would be a box, and the file no PDF/A.
 */
export function runsOf(text: string): Run[] {
  const runs: { text: string; font: FontName }[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const found =
      code < 0x20
        ? undefined
        : FONT_NAMES.find((name) => fontNamed(name).hasGlyphForCodePoint(code));
    const shown = found ? character : ` U+${code.toString(16).toUpperCase().padStart(4, '0')} `;
    const font = found ?? 'Latin';
    const last = runs.at(-1);
    if (last?.font === font) last.text += shown;
    else runs.push({ text: shown, font });
  }
  return runs;
}
