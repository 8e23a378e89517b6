/**
 * Amounts are bigints in units of 10^-8 of the asset, the precision of the wire. Text becomes units and back
 * without a float in between.
 */
export const UNIT_DECIMALS = 8;
const DECIMAL = /^\d{1,20}(\.\d{1,30})?$/;

/** The value of `text` in units of 10^-decimals; `undefined` when it isn't a plain decimal, `'inexact'` when it doesn't fit. */
export function parseUnits(text: string, decimals = UNIT_DECIMALS): bigint | 'inexact' | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const [whole = '0', fraction = ''] = text.split('.');
  if (/[1-9]/.test(fraction.slice(decimals))) return 'inexact';
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** `units` as a decimal with exactly `decimals` places, as the wire writes it: `0.50000000`. */
export function formatUnits(units: bigint, decimals = UNIT_DECIMALS): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** `units` without trailing zeros: `0.5`, `100000`. */
export function formatPlain(units: bigint): string {
  return formatUnits(units).replace(/\.?0+$/, '');
}
