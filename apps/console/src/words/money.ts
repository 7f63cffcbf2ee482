import { decimalsOf } from '#baccarat';

/** Writes an amount in minor units, with its currency. */
type WriteMoney = (minor: number, currency: string) => string;

/**
 * Returns how to write money as a language does. An amount of an unknown currency is a number
 * beside its code: nobody knows its minor unit.
 */
export function moneyOf(locale: string, signDisplay: 'auto' | 'exceptZero'): WriteMoney {
  const formats = new Map<string, (minor: number) => string>();
  const formatOf = (currency: string): ((minor: number) => string) => {
    const digits = decimalsOf(currency);
    const plain = new Intl.NumberFormat(locale, { signDisplay });
    if (digits === undefined) return (minor) => `${plain.format(minor)} ${currency}`;
    const format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      signDisplay,
      // for some currencies the browser has other decimals: those of cash
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    return (minor) => format.format(minor / 10 ** digits);
  };
  return (minor, currency) => {
    const format = formats.get(currency) ?? formatOf(currency);
    formats.set(currency, format);
    return format(minor);
  };
}
