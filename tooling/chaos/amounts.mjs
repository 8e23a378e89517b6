const decimals = 18;

/**
 * Converts a decimal to units of 10^-18, exactly.
 *
 * @param {string | number} decimal
 */
export function units(decimal) {
  const text = String(decimal);
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction) || fraction.length > decimals)
    throw new RangeError(`not a plain decimal: ${text}`);
  const value = BigInt(whole + fraction.padEnd(decimals, '0'));
  return isNegative ? -value : value;
}

/**
 * Converts units of 10^-18 to a decimal string, without trailing zeros.
 *
 * @param {bigint} value
 */
export function amountText(value) {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}
