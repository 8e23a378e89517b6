/**
 * Amounts, prices and values as integers in units of 10^-8. A price times an amount is exact, because the decimals of a
 * pair's tick and amount step together are at most 8.
 */
const DECIMALS = 8;
export const ONE = 10n ** BigInt(DECIMALS);

/**
 * Rounds a number down to a step of 10^-decimals.
 *
 * @param {number} value
 * @param {number} decimals
 */
export const unitsOf = (value, decimals) =>
  BigInt(Math.floor(value * 10 ** decimals)) * 10n ** BigInt(DECIMALS - decimals);

/** @param {bigint} units */
export const numberOf = (units) => Number(units) / 10 ** DECIMALS;

/** Returns the value of an amount at a price. @param {bigint} price @param {bigint} amount */
export const valueAt = (price, amount) => (price * amount) / ONE;

/**
 * Formats units as a decimal.
 *
 * @param {bigint} units
 * @param {number} [decimals] the decimals of a unit
 */
export function decimalOf(units, decimals = DECIMALS) {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  const plain = digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`);
  return units < 0n ? `-${plain}` : plain;
}

/** @param {readonly bigint[]} list */
export const sumOf = (list) => list.reduce((sum, units) => sum + units, 0n);

/** @param {number} ms */
export const instantOf = (ms) => new Date(ms).toISOString();
