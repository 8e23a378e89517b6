/**
 * An exact rational number. The oracle computes with fractions alone, so no result depends on an order of roundings.
 */
export class Fraction {
  /**
   * @param {bigint} numerator
   * @param {bigint} [denominator]
   */
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new RangeError('The denominator of a fraction must not be 0.');
    const sign = denominator < 0n ? -1n : 1n;
    const divisor = greatestCommonDivisor(abs(numerator), abs(denominator)) || 1n;
    this.numerator = (sign * numerator) / divisor;
    this.denominator = (sign * denominator) / divisor;
  }

  /** @param {Fraction} other */
  plus(other) {
    return new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  /** @param {Fraction} other */
  minus(other) {
    return this.plus(new Fraction(-other.numerator, other.denominator));
  }

  /** @param {Fraction} other */
  times(other) {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  /** @param {Fraction} other */
  over(other) {
    return new Fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  /** Returns a number below, equal to or above 0, as `compareFn` of a sort. @param {Fraction} other */
  compare(other) {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0n ? -1 : Number(difference > 0n);
  }

  /** @param {Fraction} other */
  isBelow(other) {
    return this.compare(other) < 0;
  }

  get isZero() {
    return this.numerator === 0n;
  }

  get isPositive() {
    return this.numerator > 0n;
  }

  get isNegative() {
    return this.numerator < 0n;
  }

  /** Returns the largest multiple of `step` that is at most this number. @param {Fraction} step */
  floorTo(step) {
    const { numerator, denominator } = this.over(step);
    const quotient = numerator / denominator;
    const isRoundedUp = numerator < 0n && quotient * denominator !== numerator;
    return step.times(new Fraction(isRoundedUp ? quotient - 1n : quotient));
  }

  /** Returns the smallest multiple of `step` that is at least this number. @param {Fraction} step */
  ceilTo(step) {
    const floor = this.floorTo(step);
    return floor.compare(this) === 0 ? floor : floor.plus(step);
  }

  /** Returns the multiple of `step` that is nearest to this number; of two, the even one. @param {Fraction} step */
  roundTo(step) {
    const floor = this.floorTo(step);
    const ceil = floor.plus(step);
    const order = this.minus(floor).compare(ceil.minus(this));
    if (order !== 0) return order < 0 ? floor : ceil;
    return floor.over(step).numerator % 2n === 0n ? floor : ceil;
  }

  /** @returns {Fraction} */
  get absolute() {
    return this.isNegative ? ZERO.minus(this) : this;
  }

  /** Returns the number with at most 18 decimals, rounded towards zero. */
  toString() {
    const scale = 10n ** 18n;
    const units = (abs(this.numerator) * scale) / this.denominator;
    const digits = units.toString().padStart(19, '0');
    const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
    return this.isNegative && units !== 0n ? `-${text}` : text;
  }
}

export const ZERO = new Fraction(0n);
export const ONE = new Fraction(1n);

/**
 * Converts a decimal, without or with an exponent, to a fraction.
 *
 * @param {string | number} decimal
 */
export function exact(decimal) {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(decimal));
  if (match === null) throw new RangeError(`Expected a decimal; got ${decimal}.`);
  const [, sign, whole, part = '', exponent = '0'] = match;
  const digits = BigInt(`${sign}${whole}${part}`);
  const power = Number(exponent) - part.length;
  return power < 0
    ? new Fraction(digits, 10n ** BigInt(-power))
    : new Fraction(digits * 10n ** BigInt(power));
}

/** @param {readonly Fraction[]} numbers */
export const sum = (numbers) => numbers.reduce((total, each) => total.plus(each), ZERO);

/** @param {readonly Fraction[]} numbers at least one */
export const least = (...numbers) => numbers.reduce((best, each) => (each.isBelow(best) ? each : best));

/** @param {readonly Fraction[]} numbers at least one */
export const greatest = (...numbers) => numbers.reduce((best, each) => (best.isBelow(each) ? each : best));

/** @param {bigint} value */
function abs(value) {
  return value < 0n ? -value : value;
}

/**
 * @param {bigint} a
 * @param {bigint} b
 * @returns {bigint}
 */
function greatestCommonDivisor(a, b) {
  let [left, right] = [a, b];
  while (right !== 0n) [left, right] = [right, left % right];
  return left;
}
