import fc from 'fast-check';
import {
  canonicalDecimal,
  DECIMAL_STRING,
  decimal,
  decimalInput,
  JsonNumber,
  readDecimal,
} from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';

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
  ])('parses %p exactly', (input, value) => {
    expect(decimalInput().parse(input)).toBe(value);
  });

  it.each([
    [0, 'not_positive'],
    ['-1', 'not_positive'],
    ['0.1234567890123456789', 'too_many_decimals'],
    ['abc', 'not_a_decimal'],
    ['1e5', 'not_a_decimal'],
    ['+1', 'not_a_decimal'],
    ['01', 'not_a_decimal'],
    ['00', 'not_a_decimal'],
    ['-01.5', 'not_a_decimal'],
    ['.5', 'not_a_decimal'],
    ['1.', 'not_a_decimal'],
    ['1\n', 'not_a_decimal'],
    ['\u0661', 'not_a_decimal'],
    ['0.1000000000000000000', 'too_many_decimals'],
    ['100000000000000000000', 'too_many_digits'],
    ['100000000000000000000.123456789012345678', 'too_many_digits'],
    ['-0', 'not_positive'],
    ['-0.00', 'not_positive'],
  ])('rejects %p with the code %s', (input, code) => {
    expect(decimalInput().safeParse(input).error?.issues).toEqual([
      expect.objectContaining({ code: 'custom', params: { code } }),
    ]);
  });

  it.each([[null], [true], [{}], [[]], [[5]], [['5']], [5n], [undefined]])(
    'rejects %p, which is not a number',
    (input) => {
      expect(decimalInput().safeParse(input).success).toBe(false);
    },
  );

  it('publishes the pattern of a string with its limits of digits', () => {
    const [whole, fraction] = ['9'.repeat(20), '1'.repeat(18)];
    for (const text of [whole, `-${whole}.${fraction}`, '0'])
      expect([text, DECIMAL_STRING.test(text)]).toEqual([text, true]);
    for (const text of [`${whole}9`, `-${whole}9`, `0.${fraction}1`, '01', '1.', '+1', '1e5', ''])
      expect([text, DECIMAL_STRING.test(text)]).toEqual([text, false]);
  });

  it('parses a string exactly if it matches the published pattern, and rejects every other string', () => {
    const PUBLISHED = /^-?(0|[1-9]\d{0,19})(\.\d{1,18})?$/;
    const texts = fc.oneof(
      fc.stringMatching(/^[-+]?0{0,2}\d{0,21}(\.\d{0,20})?(e-?\d)?$/),
      plain.map(({ source }) => source),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = decimalInput('any').safeParse(text);
        expect(parsed.success).toBe(PUBLISHED.test(text));
        if (parsed.success) expect({ value: parsed.data }).toEqual(readDecimal(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts zero with the range non_negative, and negative values only with the range any', () => {
    expect(decimalInput('non_negative').parse('0')).toBe('0');
    expect(decimalInput('non_negative').safeParse('-1').success).toBe(false);
    expect(decimalInput('any').parse('-1.50')).toBe('-1.5');
  });
});

describe('a decimal with an upper bound', () => {
  const codesOf = (schema: ReturnType<typeof decimalUpTo>, value: unknown) =>
    schema
      .safeParse(value)
      .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : issue.code));

  it('accepts the bound and rejects the smallest step above it', () => {
    expect(decimalUpTo('100').parse('100.0')).toBe('100');
    expect(decimalUpTo('0.5', 'non_negative').parse(0)).toBe('0');
    expect(codesOf(decimalUpTo('100'), '100.000000000000000001')).toEqual(['too_big']);
    expect(codesOf(decimalUpTo('0.5'), '0.500000000000000001')).toEqual(['too_big']);
    expect(codesOf(decimalUpTo('0.5'), new JsonNumber('1e19'))).toEqual(['too_big']);
  });

  it('rejects a wrong sign like any other decimal', () => {
    expect(codesOf(decimalUpTo('100'), 0)).toEqual(['not_positive']);
    expect(codesOf(decimalUpTo('0.5', 'non_negative'), -1)).toContain('negative');
    expect(codesOf(decimalUpTo('100'), 'x')).toEqual(['not_a_decimal']);
  });

  it('compares values as whole units of 10^-18', () => {
    const units = fc.bigInt(1n, 10n ** 21n);
    const text = (value: bigint) => {
      const digits = String(value).padStart(19, '0');
      return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
    };
    fc.assert(
      fc.property(units, units, (value, max) => {
        expect(decimalUpTo(text(max)).safeParse(text(value)).success).toBe(value <= max);
      }),
    );
  });
});

describe('the message of a rejected decimal', () => {
  const messageOf = (schema: ReturnType<typeof decimalInput>, value: unknown) =>
    schema.safeParse(value).error?.issues.map(({ message }) => message);

  it.each([
    [
      'x',
      'Expected a decimal number: a JSON number, or a string like "1250.5" without plus sign, leading zeros or exponent.',
    ],
    [
      null,
      'Expected a decimal number: a JSON number, or a string like "1250.5" without plus sign, leading zeros or exponent.',
    ],
    ['0.1234567890123456789', 'Must have at most 18 decimal places.'],
    ['-100000000000000000000', 'Must have at most 20 digits before the decimal point.'],
    [new JsonNumber('1e30'), 'Must have at most 20 digits before the decimal point.'],
    ['0', 'Must be greater than zero.'],
  ])('%p: %s', (value, message) => {
    expect(messageOf(decimalInput(), value)).toEqual([message]);
  });

  it('names the sign and the bound that a field allows', () => {
    expect(decimalInput('non_negative').safeParse('-1').error?.issues).toMatchObject([
      { code: 'custom', message: 'Must not be negative.', params: { code: 'negative' } },
    ]);
    expect(decimalUpTo('2.5').safeParse('3').error?.issues).toMatchObject([
      { code: 'custom', message: 'Must be at most 2.5.', params: { code: 'too_big' } },
    ]);
  });
});

it.each([
  ['1.500', '1.5'],
  ['1.000', '1'],
  ['100', '100'],
  ['0.000', '0'],
  ['-0.00', '0'],
  ['-1.20', '-1.2'],
  ['10.0', '10'],
])('the canonical form of %s is %s', (text, canonical) => {
  expect(canonicalDecimal(text)).toBe(canonical);
});

it.each([
  ['0', true],
  ['-1.5', true],
  ['10.01', true],
  ['1.50', false],
  ['01', false],
  ['1.', false],
  ['.5', false],
  ['+1', false],
  ['1e5', false],
  ['x1', false],
  ['1x', false],
  ['', false],
])('a decimal of a response may be %p: %p', (text, isValid) => {
  expect(decimal.safeParse(text).success).toBe(isValid);
});

it.each([
  [`${'0'.repeat(399)}1`, { value: '1' }],
  [`${'0'.repeat(400)}1`, { problem: 'too_many_digits' }],
  [`0.${'0'.repeat(399)}`, { value: '0' }],
  [`0.${'0'.repeat(400)}`, { problem: 'too_many_digits' }],
  ['0.00e401', { value: '0' }],
  ['1.1e401', { problem: 'too_many_digits' }],
  ['1.1e-401', { problem: 'too_many_decimals' }],
  ['1e400', { problem: 'too_many_digits' }],
  ['1e-400', { problem: 'too_many_decimals' }],
  ['1e-401', { problem: 'too_many_decimals' }],
  [`${'1'.padEnd(382, '0')}e-381`, { value: '1' }],
  [`0.${'1'.padStart(382, '0')}e+382`, { value: '1' }],
  ['99999999999999999999', { value: '99999999999999999999' }],
  ['+5', { value: '5' }],
  ['00', { value: '0' }],
  ['0.10', { value: '0.1' }],
  ['1e0', { value: '1' }],
])('the limits of readDecimal: %.40s', (text, result) => {
  expect(readDecimal(text)).toEqual(result);
});

it('decimal schemas describe themselves for the reference', () => {
  expect(decimalInput().meta()).toMatchObject({ format: 'decimal', decimalRange: 'positive' });
  expect(decimalInput('any').meta()).toMatchObject({ decimalRange: 'any' });
  expect(decimalUpTo('5', 'non_negative').meta()).toMatchObject({
    format: 'decimal',
    decimalRange: 'non_negative',
    decimalMax: '5',
  });
  expect(decimal.meta()).toMatchObject({ format: 'decimal' });
  expect(JSON.stringify([new JsonNumber('1.10')])).toBe('["1.10"]');
});
