import { formatBalance } from './balance';

describe('a balance', () => {
  it.each([
    ['99999.999', '99,999.99'],
    ['0.00051234999', '0.00051234'],
    ['1.999999', '1.99999'],
    ['0.000000009', '0.00'],
    ['100000', '100,000.00'],
    ['0', '0.00'],
    ['-1.999999', '-2.00'],
  ])('%s is rounded down to %s', (value, text) => {
    expect(formatBalance(value, 'en-US')).toBe(text);
  });

  it('has the form of the reader', () => {
    expect(formatBalance('1204.199', 'de-DE')).toBe('1.204,19');
  });
});
