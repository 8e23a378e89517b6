import fc from 'fast-check';
import { BigDecimal, divideDecimals, roundToStep } from './decimal-arithmetic.js';
import { formatInstant } from './format-instant.js';

/** A number with 18 decimals, as the database returns it, or with fewer, as in a request body. */
const anyDecimal = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), fc.bigInt({ min: 0n, max: 9n })),
    decimals: fc.oneof(fc.stringMatching(/^\d{18}$/), fc.stringMatching(/^\d{1,18}$/), fc.constant('')),
  })
  .map(({ sign, whole, decimals }) => `${sign}${whole}${decimals === '' ? '' : `.${decimals}`}`);

const exactQuotient = (dividend: string, divisor: string) => {
  const rounded = new BigDecimal(dividend).div(divisor).toDecimalPlaces(18, BigDecimal.ROUND_HALF_EVEN);
  return rounded.isZero() ? '0' : rounded.toString();
};

describe('a quotient of two stored decimals', () => {
  it('is the exact quotient, rounded half to even at 18 decimals', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (dividend, divisor) => {
        fc.pre(!new BigDecimal(divisor).isZero());
        expect(divideDecimals(dividend, divisor)).toBe(exactQuotient(dividend, divisor));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['0.000000000000000001', '2', '0'],
    ['0.000000000000000003', '2', '0.000000000000000002'],
    ['-0.000000000000000001', '2', '0'],
    ['-0.000000000000000003', '2', '-0.000000000000000002'],
    ['1', '3', '0.333333333333333333'],
    ['6.000000000000000000', '0.500000000000000000', '12'],
  ])('%s / %s is %s', (dividend, divisor, expected) => {
    expect(divideDecimals(dividend, divisor)).toBe(expected);
  });

  it('throws if the divisor is zero', () => {
    expect(() => divideDecimals('1', '0.000000000000000000')).toThrow(RangeError);
  });
});

describe('roundToStep', () => {
  it.each([
    ['0.0234458', '0.001', '0.023'],
    ['60017.325', '0.010000000000000000', '60017.32'],
    ['60017.335', '0.01', '60017.34'],
    ['7.3', '0.5', '7.5'],
    ['0.2', '1', '0'],
  ])('rounds %s to a multiple of %s: %s', (value, step, expected) => {
    expect(roundToStep(value, step)).toBe(expected);
  });
});

describe('formatInstant', () => {
  it('returns the same as toISOString, in any year and after any other day', () => {
    fc.assert(
      fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (instants) => {
        const twice = instants.flatMap((instant) => [instant, new Date(instant.getTime() + 1)]);
        const valid = twice.filter((instant) => !Number.isNaN(instant.getTime()));
        expect(valid.map(formatInstant)).toEqual(valid.map((instant) => instant.toISOString()));
      }),
    );
  });

  it.each([
    ['the first millisecond of a day', '2026-11-21T00:00:00.000Z'],
    ['the last millisecond of a day', '2026-11-21T23:59:59.999Z'],
    ['an instant before 1970', '1969-12-31T23:59:59.999Z'],
  ])('formats %s', (_case, text) => {
    expect(formatInstant(new Date(text))).toBe(text);
  });

  it('throws for an invalid instant', () => {
    expect(() => formatInstant(new Date(Number.NaN))).toThrow(RangeError);
  });
});
