import { decimalsOf } from '#baccarat';

export { CURRENCIES, isCurrency } from '#baccarat';

/** Formats an amount in minor units for people: `1234550` in USD is `12,345.50 USD`. */
export function moneyText(amount: number, currency: string): string {
  const digits = decimalsOf(currency) ?? 0;
  const unsigned = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = unsigned.slice(0, unsigned.length - digits).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${amount < 0 ? '-' : ''}${whole}${digits > 0 ? `.${unsigned.slice(-digits)}` : ''} ${currency}`;
}
