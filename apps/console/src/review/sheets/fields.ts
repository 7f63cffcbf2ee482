import { decimalsOf } from '#baccarat';
import { useDraft } from '../../app/drafts.js';

/** What a sheet holds, field by field, as typed. */
export type Fields = Readonly<Record<string, string>>;

/**
 * Returns the fields of a sheet, which are kept as they are typed by command and finding, and the
 * functions that set one and clear all. What was not typed follows the defaults.
 */
export function useFields(place: string, defaults: Fields = {}) {
  const [text, setText, clear] = useDraft(place);
  const typed = parsed(text);
  const set = (name: string, value: string): void =>
    setText(JSON.stringify({ ...typed, [name]: value }));
  return { fields: { ...defaults, ...typed }, set, clear };
}

function parsed(text: string): Fields {
  if (text === '') return {};
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
  } catch {
    return {}; // another program of this address wrote there
  }
}

/** Returns the fields that are not empty, without spaces around them. */
export const filled = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );

/**
 * Returns an amount in minor units, or undefined if the text is not an amount above zero. The
 * decimal sign may be a point or a comma. There are no signs between thousands.
 */
export function minorOf(text: string, currency: string): number | undefined {
  const decimals = decimalsOf(currency) ?? 0;
  const [, whole, fraction = ''] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.replace(/\s/g, '')) ?? [];
  if (whole === undefined || fraction.length > decimals) return undefined;
  const minor = Number(whole + fraction.padEnd(decimals, '0'));
  return minor > 0 ? minor : undefined;
}

/** Returns an amount as it is typed: without sign of the currency or of thousands. */
export function typedOf(minor: number, currency: string): string {
  const decimals = decimalsOf(currency) ?? 0;
  return (minor / 10 ** decimals).toFixed(decimals);
}
