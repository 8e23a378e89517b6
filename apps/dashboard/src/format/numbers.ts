/** Decimals as people read them. They are strings with exact digits; Intl formats strings without rounding to a double. */
import Decimal from 'decimal.js';

const formats = (locale: string | undefined, options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat(locale, { useGrouping: true, ...options });

/** The most digits after the point that an amount of this size needs: about six significant ones. */
function digitsFor(value: Decimal): number {
  if (value.isZero()) return 2;
  const magnitude = value.abs().log(10).floor().toNumber();
  return Math.min(Math.max(5 - magnitude, 2), 8);
}

/** Formats an amount of an asset, such as 1,204.10 or 0.000512. */
export function formatAmount(value: string, locale?: string, digits?: number): string {
  const decimal = new Decimal(value);
  const maximumFractionDigits = digits ?? digitsFor(decimal);
  const options = { minimumFractionDigits: Math.min(2, maximumFractionDigits), maximumFractionDigits };
  return formats(locale, options).format(value as unknown as number);
}

/** Formats a change with its sign; the minus is the typographic one. Zero has no sign. */
export function formatSigned(value: string, locale?: string, digits?: number): string {
  const decimal = new Decimal(value);
  const text = formatAmount(decimal.abs().toFixed(), locale, digits);
  const sign = signOf(value, digits ?? digitsFor(decimal));
  return sign === 0 ? text : `${sign < 0 ? '−' : '+'}${text}`;
}

/** Formats a ratio, such as 0.0123, as a percentage. */
export function formatPercent(ratio: string, locale?: string, isSigned = false): string {
  // Rounded first, so that a tiny fall is no "−0.00".
  const percent = new Decimal(ratio).times(100).toDecimalPlaces(2);
  const text = formatAmount(percent.abs().toFixed(), locale, 2);
  const direction = signOf(percent.toFixed(), 2);
  const sign = direction < 0 ? '−' : isSigned && direction > 0 ? '+' : '';
  return `${sign}${text}\u2009%`;
}

/** Formats an agreed rate, such as 0.15, as a percentage without needless zeros: 15 %. */
export function formatRate(ratio: string, locale?: string): string {
  const percent = new Decimal(ratio).times(100).toFixed();
  return `${formats(locale, { maximumFractionDigits: 4 }).format(percent as unknown as number)}\u2009%`;
}

/** Formats a count, such as 12,408. */
export function formatCount(value: number, locale?: string): string {
  return formats(locale, { maximumFractionDigits: 0 }).format(value);
}

/** Returns -1, 0 or 1; with `digits`, of the value as it is shown, so that 0.00 has no sign. */
export function signOf(value: string, digits?: number): -1 | 0 | 1 {
  const exact = new Decimal(value);
  const decimal = digits === undefined ? exact : exact.toDecimalPlaces(digits);
  return decimal.isZero() ? 0 : decimal.isNegative() ? -1 : 1;
}
