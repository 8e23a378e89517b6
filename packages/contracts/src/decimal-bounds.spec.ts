import fc from 'fast-check';
import { decimalUpTo } from './decimal-bounds.js';

const codesOf = (schema: ReturnType<typeof decimalUpTo>, value: unknown) =>
  schema
    .safeParse(value)
    .error?.issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : issue.code));

describe('a decimal with an upper bound', () => {
  it('accepts the bound and rejects the smallest step above it', () => {
    expect(decimalUpTo('100').parse('100.0')).toBe('100');
    expect(decimalUpTo('0.5', 'non_negative').parse(0)).toBe('0');
    expect(codesOf(decimalUpTo('100'), '100.000000000000000001')).toEqual(['too_big']);
    expect(codesOf(decimalUpTo('0.5'), '0.500000000000000001')).toEqual(['too_big']);
    expect(codesOf(decimalUpTo('0.5'), '1e19')).toEqual(['too_big']);
  });

  it('rejects a wrong sign like any other decimal', () => {
    expect(codesOf(decimalUpTo('100'), 0)).toEqual(['not_positive']);
    expect(codesOf(decimalUpTo('0.5', 'non_negative'), -1)).toContain('negative');
    expect(codesOf(decimalUpTo('100'), 'x')).toEqual(['not_a_decimal']);
  });

  it('compares by value, like integers of 10^-18', () => {
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
