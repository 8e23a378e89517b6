/** Decimals as people read them. They are strings with exact digits; Intl formats strings without rounding to a double. */
import { numberFormatter } from './formatters';

const formats = (locale: string | undefined, options: Intl.NumberFormatOptions) =>
  numberFormatter(locale, { useGrouping: true, ...options });

/** Intl formats a numeric string exactly; its type knows only numbers. */
const exact = (value: string) => value as unknown as number;
const withoutSign = (value: string) => value.replace('-', '');

/** The power of ten of the first digit that is not zero; undefined for zero. */
function magnitudeOf(value: string): number | undefined {
  const [whole = '', fraction = ''] = withoutSign(value).split('.');
  const digits = whole.replace(/^0+/, '');
  if (digits !== '') return digits.length - 1;
  const first = fraction.search(/[1-9]/);
  return first < 0 ? undefined : -first - 1;
}

/** The most digits after the point that an amount of this size needs: about six significant ones. */
export function digitsFor(value: string): number {
  const magnitude = magnitudeOf(value);
  return magnitude === undefined ? 2 : Math.min(Math.max(5 - magnitude, 2), 8);
}

/** Formats an amount of an asset, such as 1,204.10 or 0.000512. */
export function formatAmount(value: string, locale?: string, digits?: number): string {
  const maximumFractionDigits = digits ?? digitsFor(value);
  const options = { minimumFractionDigits: Math.min(2, maximumFractionDigits), maximumFractionDigits };
  return formats(locale, options).format(exact(value));
}

/** Formats a change with its sign; the minus is the typographic one. Zero has no sign. */
export function formatSigned(value: string, locale?: string, digits?: number): string {
  const text = formatAmount(withoutSign(value), locale, digits);
  const sign = signOf(value, digits ?? digitsFor(value));
  return sign === 0 ? text : `${sign < 0 ? '−' : '+'}${text}`;
}

/** Formats a ratio, such as 0.0123, as a percentage. */
export function formatPercent(ratio: string, locale?: string, isSigned = false): string {
  const text = percentText(withoutSign(ratio), locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  // A percentage has two digits more than its ratio. A tiny fall is no "−0.00".
  const direction = signOf(ratio, 4);
  const sign = direction < 0 ? '−' : isSigned && direction > 0 ? '+' : '';
  return `${sign}${text}\u2009%`;
}

/** Formats an agreed rate, such as 0.15, as a percentage without needless zeros: 15 %. */
export function formatRate(ratio: string, locale?: string): string {
  return `${percentText(ratio, locale, { maximumFractionDigits: 4 })}\u2009%`;
}

/** Multiplies by 100 exactly, as Intl does, and leaves out the sign of percent, whose place depends on the locale. */
function percentText(ratio: string, locale: string | undefined, options: Intl.NumberFormatOptions): string {
  return formats(locale, { style: 'percent', ...options })
    .formatToParts(exact(ratio))
    .filter(({ type }) => type !== 'percentSign' && type !== 'literal')
    .map(({ value }) => value)
    .join('');
}

/** Formats a count, such as 12,408. */
export function formatCount(value: number, locale?: string): string {
  return formats(locale, { maximumFractionDigits: 0 }).format(value);
}

/** Returns -1, 0 or 1; with `digits`, of the value as it is shown, so that 0.00 has no sign. */
export function signOf(value: string, digits?: number): -1 | 0 | 1 {
  const shown = digits === undefined ? value : formatAmount(withoutSign(value), 'en', digits);
  if (!/[1-9]/.test(shown)) return 0;
  return value.startsWith('-') ? -1 : 1;
}
