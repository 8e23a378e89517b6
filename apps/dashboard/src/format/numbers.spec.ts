import { formatAmount, formatPercent, formatSigned, signOf } from './numbers';

describe('an amount', () => {
  it.each([
    ['1204.1', '1,204.10'],
    ['59982.134', '59,982.13'],
    ['0.05', '0.05'],
    ['0.000512', '0.000512'],
    ['0.00051234567', '0.00051235'],
    ['0', '0.00'],
    ['12', '12.00'],
    ['-3.5', '-3.50'],
  ])('%s is shown as %s', (value, text) => {
    expect(formatAmount(value, 'en-US')).toBe(text);
  });

  it('keeps digits that a floating-point number loses', () => {
    expect(formatAmount('90071992547409931.25', 'en-US', 2)).toBe('90,071,992,547,409,931.25');
  });

  it('has the form of the reader', () => {
    expect(formatAmount('1204.1', 'de-DE')).toBe('1.204,10');
  });
});

describe('a change', () => {
  it.each([
    ['1.5', '+1.50', 1],
    ['-1.5', '−1.50', -1],
    ['0', '0.00', 0],
    ['-0', '0.00', 0],
  ])('%s is shown as %s', (value, text, sign) => {
    expect([formatSigned(value, 'en-US', 2), signOf(value)]).toEqual([text, sign]);
  });
});

describe('a percentage', () => {
  it.each([
    ['0.0123', false, '1.23\u2009%'],
    ['0.0123', true, '+1.23\u2009%'],
    ['-0.5', true, '−50.00\u2009%'],
    ['0', true, '0.00\u2009%'],
  ])('of %s, signed: %s, is %s', (ratio, isSigned, text) => {
    expect(formatPercent(ratio, 'en-US', isSigned)).toBe(text);
  });
});
