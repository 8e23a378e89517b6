import { digitsFor, formatAmount } from './numbers';

/** Formats an amount that can be spent. It is rounded down, so that never more is shown than there is. */
export function formatBalance(value: string, locale?: string): string {
  if (value.startsWith('-')) return formatAmount(value, locale);
  const digits = digitsFor(value);
  const [whole = '0', fraction = ''] = value.split('.');
  return formatAmount(`${whole}.${fraction.slice(0, digits)}0`, locale, digits);
}
