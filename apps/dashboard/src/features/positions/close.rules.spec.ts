import { closingPrice, estimateClose, fractionOf } from './close.rules';

const limits = {
  amount_step: '0.0001',
  min_amount: '0.001',
  min_notional: '10',
  trading_type: 'spot',
  taker_fee: '0.001',
};
const long = { side: 'BUY', remaining_amount: '0.04995', remaining_cost: '150' };

describe('fractionOf', () => {
  it.each([
    ['25', '0.25'],
    [' 12.5 ', '0.125'],
    ['100', '1'],
  ])('reads %p', (percent, fraction) => {
    expect(fractionOf(percent)).toBe(fraction);
  });

  it.each(['0', '100.1', '-5', '1e2', '', 'half', '10,5'])('rejects %p', (percent) => {
    expect(fractionOf(percent)).toBeUndefined();
  });
});

describe('estimateClose', () => {
  it('rounds the amount down to the step of market orders, and keeps the rest', () => {
    expect(estimateClose(long, '1', { ...limits, market_amount_step: '0.01' }, '3000')).toMatchObject({
      amount: '0.04',
      rest: '0.00995',
    });
  });

  it('computes proceeds and result of a long lot after the fee', () => {
    const lot = { side: 'BUY', remaining_amount: '0.1', remaining_cost: '290' };
    expect(estimateClose(lot, '0.5', limits, '3000')).toEqual({
      amount: '0.05',
      rest: '0.05',
      value: '150',
      fee: '0.15',
      proceeds: '149.85',
      result: '4.85',
      problem: undefined,
    });
  });

  it('computes the cost of buying back a short lot', () => {
    const lot = { side: 'SELL', remaining_amount: '0.1', remaining_cost: '310' };
    expect(estimateClose(lot, '1', limits, '3000')).toMatchObject({ proceeds: '300.3', result: '9.7' });
  });

  it('names the smallest share above the minimum value', () => {
    expect(estimateClose(long, '0.05', limits, '3000').problem).toEqual({
      limit: 'min_notional',
      minimum: '10',
      smallestPercent: 7,
    });
  });

  it('does not apply the minimum value to a perpetual, whose closing order is reduce-only', () => {
    const perpetual = { ...limits, trading_type: 'perpetual' };
    expect(estimateClose(long, '0.05', perpetual, '3000').problem).toBeUndefined();
    expect(estimateClose(long, '0.01', perpetual, '3000').problem).toEqual({
      limit: 'min_amount',
      minimum: '0.001',
      smallestPercent: 3,
    });
  });

  it('names no share if the whole lot is too small', () => {
    const lot = { ...long, remaining_amount: '0.0005' };
    expect(estimateClose(lot, '1', limits, '3000').problem).toEqual({
      limit: 'min_amount',
      minimum: '0.001',
      smallestPercent: undefined,
    });
  });

  it('says that the share is below one step', () => {
    expect(estimateClose(long, '0.001', limits, '3000').problem).toMatchObject({ limit: 'amount_step' });
  });

  it('estimates no money without a price', () => {
    expect(estimateClose(long, '1', limits, null)).toMatchObject({
      amount: '0.0499',
      proceeds: undefined,
      result: undefined,
      problem: undefined,
    });
  });
});

describe('closingPrice', () => {
  it('is the bid for a long lot, the ask for a short one, and the last price without either', () => {
    expect(closingPrice('BUY', { bid: '9', ask: '11', last: '10' })).toBe('9');
    expect(closingPrice('SELL', { bid: '9', ask: '11', last: '10' })).toBe('11');
    expect(closingPrice('BUY', { bid: null, ask: null, last: '10' })).toBe('10');
    expect(closingPrice('BUY', undefined)).toBeUndefined();
  });
});
