/** Exact arithmetic on fractions of integers. Only functions whose name gives a direction round their result. */
import { canonicalDecimal, DECIMAL_SCALE, type Decimal } from '@trading-automation/contracts';

/** The denominator is above zero. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const UNIT = 10n ** BigInt(DECIMAL_SCALE);
export const ZERO: Fraction = { numerator: 0n, denominator: 1n };

/** Parses a plain decimal with any number of decimal places. */
export function fractionOf(decimal: Decimal): Fraction {
  const point = decimal.indexOf('.');
  if (point < 0) return { numerator: BigInt(decimal), denominator: 1n };
  const decimals = decimal.length - point - 1;
  return {
    numerator: BigInt(decimal.slice(0, point) + decimal.slice(point + 1)),
    denominator: 10n ** BigInt(decimals),
  };
}

export const plus = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});

export const minus = (a: Fraction, b: Fraction): Fraction =>
  plus(a, { numerator: -b.numerator, denominator: b.denominator });

export const times = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

/** @throws {RangeError} if the divisor is not above zero */
export function dividedBy(a: Fraction, b: Fraction): Fraction {
  if (b.numerator <= 0n) throw new RangeError('divisor must be above zero');
  return { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator };
}

export const isLess = (a: Fraction, b: Fraction): boolean =>
  a.numerator * b.denominator < b.numerator * a.denominator;

export const lesserOf = (a: Fraction, b: Fraction): Fraction => (isLess(b, a) ? b : a);
export const greaterOf = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a);
export const isAboveZero = ({ numerator }: Fraction): boolean => numerator > 0n;

/** Returns the greatest multiple of `step` that is not above the value. A zero step means 10^-18. */
export function floorTo(value: Fraction, step: Decimal): Decimal {
  const units = stepUnits(step);
  return formatUnits(floorOf(value.numerator * UNIT, value.denominator * units) * units);
}

/** Returns the least multiple of `step` that is not below the value. A zero step means 10^-18. */
export function ceilTo(value: Fraction, step: Decimal): Decimal {
  const units = stepUnits(step);
  return formatUnits(-floorOf(-value.numerator * UNIT, value.denominator * units) * units);
}

/** Rounds down to the 18 decimal places that are stored. */
export const roundDown = (value: Fraction): Decimal => floorTo(value, '0');
/** Rounds up to the 18 decimal places that are stored. */
export const roundUp = (value: Fraction): Decimal => ceilTo(value, '0');

/** Returns the fraction in lowest terms. */
export function reduce({ numerator, denominator }: Fraction): Fraction {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b > 0n) [a, b] = [b, a % b];
  return { numerator: numerator / a, denominator: denominator / a };
}

/** Returns the step in units of 10^-18. */
function stepUnits(step: Decimal): bigint {
  const { numerator, denominator } = fractionOf(step);
  const units = (numerator * UNIT) / denominator;
  return units > 0n ? units : 1n;
}

function floorOf(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}

function formatUnits(units: bigint): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(DECIMAL_SCALE + 1, '0');
  const text = canonicalDecimal(`${digits.slice(0, -DECIMAL_SCALE)}.${digits.slice(-DECIMAL_SCALE)}`);
  return units < 0n ? `-${text}` : text;
}
