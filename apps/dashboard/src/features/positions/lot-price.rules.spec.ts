import { lastPriceOf, openRatioOf } from './lot-price.rules';

const long = { side: 'BUY', remaining_amount: '0.5', remaining_cost: '30060', unrealized_pnl: '-60' };

describe('lastPriceOf', () => {
  it('is the price that gives the open result', () => {
    expect(lastPriceOf(long)).toBe('60000');
    expect(lastPriceOf({ ...long, side: 'SELL' })).toBe('60240');
  });

  it('has no more digits than a price', () => {
    expect(lastPriceOf({ ...long, remaining_amount: '0.3' })).toBe('100000');
    expect(lastPriceOf({ ...long, remaining_amount: '0.7' })).toBe('42857.142857142857');
  });

  it('is unknown without a result, and for a closed lot', () => {
    expect(lastPriceOf({ ...long, unrealized_pnl: null })).toBeNull();
    expect(lastPriceOf({ ...long, remaining_amount: '0' })).toBeNull();
  });
});

describe('openRatioOf', () => {
  it('is the open result as a share of the cost', () => {
    expect(openRatioOf({ remaining_cost: '200', unrealized_pnl: '-5' })).toBe('-0.025');
  });

  it('is unknown without a result or a cost', () => {
    expect(openRatioOf({ remaining_cost: '200', unrealized_pnl: null })).toBeNull();
    expect(openRatioOf({ remaining_cost: '0', unrealized_pnl: '1' })).toBeNull();
  });
});
