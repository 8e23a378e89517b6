/**
 * Converts decimal strings to units and back, without floating-point numbers. A unit is 10^-8 of an asset, the
 * precision of the wire format. Units are bigints.
 */
export const UNIT_DECIMALS = 8;
const DECIMAL = /^\d{1,20}(\.\d{1,30})?$/;

/**
 * Parses `text` to units of 10^-decimals. Returns `undefined` if it is not a plain decimal, and `'inexact'` if a digit
 * after the first `decimals` decimal places is not zero.
 */
export function parseUnits(text: string, decimals = UNIT_DECIMALS): bigint | 'inexact' | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const [whole = '0', fraction = ''] = text.split('.');
  if (/[1-9]/.test(fraction.slice(decimals))) return 'inexact';
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** Formats `units` as a decimal with exactly `decimals` places, as on the wire: `0.50000000`. */
export function formatUnits(units: bigint, decimals = UNIT_DECIMALS): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Formats `units` without trailing zeros: `0.5`, `100000`. */
export function formatPlain(units: bigint): string {
  return formatUnits(units).replace(/\.?0+$/, '');
}

/** Returns the smaller of two amounts. */
export function smaller(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}
