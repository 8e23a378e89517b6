import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import {
  ceilTo,
  dividedBy,
  type Fraction,
  floorTo,
  fractionOf,
  greaterOf,
  isLess,
  lesserOf,
  minus,
  plus,
  reduce,
  roundDown,
  roundUp,
  times,
} from './fraction.rules.js';

/** The product computes with bigint fractions; the tests with decimal.js and far more digits than any result has. */
const Wide = Decimal.clone({ precision: 400 });
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), fc.nat(18))
  .map(([units, places]) => new Wide(units.toString()).div(new Wide(10).pow(places)).toFixed());
const positive = decimal.map((text) => text.replace('-', '')).filter((text) => !/^[0.]+$/.test(text));
const step = fc.constantFrom('1', '0.5', '0.003', '0.000000000000000001', '25');
const toWide = ({ numerator, denominator }: Fraction) =>
  new Wide(numerator.toString()).div(denominator.toString());

describe('fractions', () => {
  it('add, subtract, multiply, divide and compare exactly', () => {
    fc.assert(
      fc.property(decimal, decimal, positive, (a, b, c) => {
        const [x, y] = [fractionOf(a), fractionOf(b)];
        expect(toWide(plus(x, y)).eq(new Wide(a).plus(b))).toBe(true);
        expect(toWide(minus(x, y)).eq(new Wide(a).minus(b))).toBe(true);
        expect(toWide(times(x, y)).eq(new Wide(a).times(b))).toBe(true);
        expect(toWide(times(dividedBy(x, fractionOf(c)), fractionOf(c))).eq(a)).toBe(true);
        expect(isLess(x, y)).toBe(new Wide(a).lt(b));
        expect([toWide(lesserOf(x, y)), toWide(greaterOf(x, y))]).toEqual([Wide.min(a, b), Wide.max(a, b)]);
      }),
    );
  });

  it('are rounded to the nearest multiples below and above; a multiple is rounded to itself', () => {
    fc.assert(
      fc.property(decimal, positive, step, (a, b, size) => {
        const value = dividedBy(fractionOf(a), fractionOf(b));
        const [floor, ceil] = [new Wide(floorTo(value, size)), new Wide(ceilTo(value, size))];
        expect(floor.mod(size).isZero() && ceil.mod(size).isZero()).toBe(true);
        const quotient = new Wide(a).div(b);
        expect(floor.lte(quotient) && floor.plus(size).gt(quotient)).toBe(true);
        expect(ceil.gte(quotient) && ceil.minus(size).lt(quotient)).toBe(true);
      }),
    );
  });

  it('round to 18 decimals without a step', () => {
    const third = { numerator: 1n, denominator: 3n };
    expect([roundDown(third), roundUp(third)]).toEqual(['0.333333333333333333', '0.333333333333333334']);
    expect(floorTo(third, '0')).toBe(roundDown(third));
    expect(roundDown(minus(fractionOf('0'), third))).toBe('-0.333333333333333334');
  });

  it('are reduced to lowest terms', () => {
    expect(reduce({ numerator: 150n, denominator: 100n })).toEqual({ numerator: 3n, denominator: 2n });
    expect(reduce({ numerator: 0n, denominator: 7n })).toEqual({ numerator: 0n, denominator: 1n });
    expect(reduce({ numerator: -150n, denominator: 100n })).toEqual({ numerator: -3n, denominator: 2n });
  });

  it('cannot be divided by zero', () => {
    for (const divisor of ['0', '-1'])
      expect(() => dividedBy(fractionOf('1'), fractionOf(divisor))).toThrow(
        new RangeError('divisor must be above zero'),
      );
  });
});
