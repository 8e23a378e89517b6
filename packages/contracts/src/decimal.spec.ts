import fc from 'fast-check';
import { decimalInput, JsonNumber, readDecimal } from './decimal.js';

/** Decimals within the limits of digits, each with its canonical form. */
const plain = fc
  .tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }),
    fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 18 }).map((digits) => digits.join('')),
  )
  .map(([negative, integer, fraction]) => {
    const decimals = fraction.replace(/0+$/, '');
    const magnitude = decimals ? `${integer}.${decimals}` : `${integer}`;
    return {
      source: `${negative ? '-' : ''}${integer}${fraction ? `.${fraction}` : ''}`,
      canonical: negative && magnitude !== '0' ? `-${magnitude}` : magnitude,
    };
  });

describe('readDecimal', () => {
  it('keeps up to 20 digits before and 18 digits after the decimal point', () => {
    fc.assert(
      fc.property(plain, ({ source, canonical }) =>
        expect(readDecimal(source)).toEqual({ value: canonical }),
      ),
    );
  });

  it('reads an exponent as a shift of the decimal point', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 18n }),
        fc.integer({ min: 1, max: 18 }),
        (digits, shift) => {
          const text = digits.toString().padStart(shift + 1, '0');
          const moved = `${text.slice(0, -shift)}.${text.slice(-shift)}`;
          expect(readDecimal(`${digits}e-${shift}`)).toEqual(readDecimal(moved));
        },
      ),
    );
  });

  it.each([
    ['1e5', '100000'],
    ['1E+2', '100'],
    ['12.50e-1', '1.25'],
    ['0e999', '0'],
    ['-0', '0'],
    ['007', '7'],
    ['1e-18', '0.000000000000000001'],
  ])('reads %s as %s', (text, value) => {
    expect(readDecimal(text)).toEqual({ value });
  });

  it.each([
    ['0.1234567890123456789', 'too_many_decimals'],
    ['1e-19', 'too_many_decimals'],
    ['1e-9999', 'too_many_decimals'],
    ['100000000000000000000', 'too_many_digits'],
    ['1e20', 'too_many_digits'],
    ['1e9999', 'too_many_digits'],
    ['9'.repeat(10_000), 'too_many_digits'],
    ['NaN', 'not_a_decimal'],
    ['Infinity', 'not_a_decimal'],
    ['', 'not_a_decimal'],
    ['.5', 'not_a_decimal'],
    ['5.', 'not_a_decimal'],
    ['0x10', 'not_a_decimal'],
    ['1 ', 'not_a_decimal'],
    ['1e99999', 'not_a_decimal'],
  ])('rejects %.30s as %s', (text, problem) => {
    expect(readDecimal(text)).toEqual({ problem });
  });
});

describe('decimalInput', () => {
  it.each([
    [0.00001, '0.00001'],
    [1e-7, '0.0000001'],
    ['0.123456789012345678', '0.123456789012345678'],
    [new JsonNumber('12345678901234567890.123456789012345678'), '12345678901234567890.123456789012345678'],
  ])('parses %p exactly', (given, value) => {
    expect(decimalInput().parse(given)).toBe(value);
  });

  it.each([
    [0, 'not_positive'],
    ['-1', 'not_positive'],
    ['0.1234567890123456789', 'too_many_decimals'],
    ['abc', 'not_a_decimal'],
  ])('rejects %p with the code %s', (given, code) => {
    expect(decimalInput().safeParse(given).error?.issues).toEqual([
      expect.objectContaining({ code: 'custom', params: { code } }),
    ]);
  });

  it.each([[null], [true], [{}], [[]], [undefined]])('rejects %p, which is not a number', (given) => {
    expect(decimalInput().safeParse(given).success).toBe(false);
  });

  it('accepts zero if non-negative, and negative values only if any sign is allowed', () => {
    expect(decimalInput('non_negative').parse('0')).toBe('0');
    expect(decimalInput('non_negative').safeParse('-1').success).toBe(false);
    expect(decimalInput('any').parse('-1.50')).toBe('-1.5');
  });
});
