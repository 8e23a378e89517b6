import { sizedExample } from './sizing-example.rules';

const settings = { mode: 'EQUITY_RATIO', value: '1', capital: '', max_trade_quote: '' };

describe('the example of a sizing', () => {
  it.each([
    ['EQUITY_RATIO', '1', '', '500', '0.01'],
    ['EQUITY_RATIO', '2', '1000', '100', '0.002'],
    ['MULTIPLIER', '0.5', '', '2500', '0.05'],
    ['FIXED_QUOTE', '200', '', '200', '0.004'],
    ['FIXED_AMOUNT', '0.02', '', '1000', '0.02'],
  ])('in mode %s with value %s and capital "%s" costs %s', (mode, value, capital, cost, amount) => {
    expect(sizedExample({ ...settings, mode, value, capital }, '10000')).toEqual({
      cost,
      amount,
      reducedFrom: undefined,
    });
  });

  it('is reduced to the limit for one entry', () => {
    expect(sizedExample({ ...settings, max_trade_quote: '300' }, '10000')).toEqual({
      cost: '300',
      amount: '0.006',
      reducedFrom: '500',
    });
  });

  it('does not exist while a number is missing', () => {
    expect(sizedExample({ ...settings, value: '' }, '10000')).toBeUndefined();
    expect(sizedExample({ ...settings, value: '0' }, '10000')).toBeUndefined();
    expect(sizedExample(settings, '0')).toBeUndefined();
  });
});
