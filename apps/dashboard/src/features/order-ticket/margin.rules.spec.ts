import { Exact } from '../../format/decimals';
import { type MarginTerms, marginOf, openingAmountOf } from './margin.rules';

const order = (side: 'BUY' | 'SELL', amount: string, isReduceOnly = false) => ({
  side,
  amount: new Exact(amount),
  isReduceOnly,
});
const long = { side: 'LONG', amount: '0.4' };

describe('the part of an order that opens a position', () => {
  it('is all of it without a position, or in its direction', () => {
    expect(openingAmountOf(order('BUY', '1'), undefined).toFixed()).toBe('1');
    expect(openingAmountOf(order('BUY', '1'), long).toFixed()).toBe('1');
  });

  it('is what exceeds the opposite position', () => {
    expect(openingAmountOf(order('SELL', '1'), long).toFixed()).toBe('0.6');
    expect(openingAmountOf(order('SELL', '0.1'), long).toFixed()).toBe('0');
    expect(openingAmountOf(order('BUY', '1'), { ...long, side: 'SHORT' }).toFixed()).toBe('0.6');
  });

  it('is nothing of a reduce-only order', () => {
    expect(openingAmountOf(order('BUY', '1', true), undefined).toFixed()).toBe('0');
  });
});

describe('the margin', () => {
  const terms: MarginTerms = {
    side: 'BUY',
    valuation: new Exact('50000'),
    last: '51000',
    takerFee: '0.0005',
    leverage: '20',
  };
  const margin = (changes: Partial<MarginTerms> = {}) =>
    marginOf(new Exact('0.1'), { ...terms, ...changes }).toFixed();

  it('is the value by the leverage, and the fee', () => {
    expect(margin()).toBe('252.5');
    expect(margin({ takerFee: undefined })).toBe('260');
  });

  it('is the whole value at most while the leverage is not known', () => {
    expect(margin({ leverage: null })).toBe('5002.5');
  });

  it('counts a sale at the last price if its own price is lower', () => {
    expect(margin({ side: 'SELL' })).toBe('257.55');
    expect(margin({ side: 'SELL', last: undefined })).toBe('252.5');
  });
});
