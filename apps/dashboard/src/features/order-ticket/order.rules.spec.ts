import { Exact } from '../../format/decimals';
import {
  amountStepOf,
  type CheckedOrder,
  leastAmountOf,
  maxAmountOf,
  orderTypesOf,
  problemsOf,
  timesInForceOf,
} from './order.rules';
import { samplePair } from './pair.sample';

const pair = samplePair();
const order = (amount: string, price = '1000'): CheckedOrder => ({
  type: 'LIMIT',
  amount: new Exact(amount),
  price: new Exact(price),
  valuation: new Exact(price),
  isReduceOnly: false,
});

describe('problemsOf', () => {
  it('finds nothing in a valid order', () => {
    expect(problemsOf(order('0.0123'), pair)).toEqual({});
  });

  it('offers the ticks on both sides of a price', () => {
    expect(problemsOf(order('1', '1000.005'), pair).price).toEqual({
      message: 'Prices are multiples of 0.01 USDT.',
      fixes: ['1000', '1000.01'],
    });
  });

  it('offers no price of zero', () => {
    expect(problemsOf({ ...order('1'), stopPrice: new Exact('0.004') }, pair).stopPrice?.fixes).toEqual([
      '0.01',
    ]);
  });

  it('offers the steps on both sides of an amount', () => {
    expect(problemsOf(order('0.01234'), pair).amount?.fixes).toEqual(['0.0123', '0.0124']);
  });

  it('offers an amount that keeps the minimum amount and the minimum value', () => {
    expect(problemsOf(order('0.0001'), pair).amount?.fixes).toEqual(['0.01']);
    expect(problemsOf(order('0.0001', '100000'), pair).amount?.fixes).toEqual(['0.001']);
  });

  it('names the value of an order that is too small', () => {
    expect(problemsOf(order('0.005'), pair).amount).toEqual({
      message: 'The order must be worth at least 10 USDT.',
      fixes: ['0.01'],
    });
  });

  it('offers the largest amount that keeps both limits', () => {
    expect(problemsOf(order('200'), samplePair({ max_notional: '50000' })).amount?.fixes).toEqual(['50']);
    expect(problemsOf(order('60'), samplePair({ max_notional: '50000' })).amount?.fixes).toEqual(['50']);
    expect(problemsOf(order('200'), samplePair()).amount?.fixes).toEqual(['100']);
  });

  it('does not check the value without a price', () => {
    const market: CheckedOrder = { type: 'MARKET', amount: new Exact('0.001'), isReduceOnly: false };
    expect(problemsOf(market, pair)).toEqual({});
  });

  it('allows a reduce-only order on a perpetual below the minimum value, and offers the minimum amount', () => {
    const perpetual = samplePair({ trading_type: 'perpetual' });
    expect(problemsOf({ ...order('0.005'), isReduceOnly: true }, perpetual)).toEqual({});
    expect(problemsOf({ ...order('0.0001'), isReduceOnly: true }, perpetual).amount?.fixes).toEqual([
      '0.001',
    ]);
    expect(problemsOf({ ...order('0.005'), isReduceOnly: true }, pair).amount?.fixes).toEqual(['0.01']);
  });
});

describe('limits of market orders', () => {
  const coarse = samplePair({ market_amount_step: '0.01', market_max_amount: '5' });

  it('apply to market orders alone', () => {
    expect(amountStepOf(coarse, 'MARKET').toFixed()).toBe('0.01');
    expect(amountStepOf(coarse, 'LIMIT').toFixed()).toBe('0.0001');
    expect(maxAmountOf(coarse, 'STOP_MARKET')?.toFixed()).toBe('5');
    expect(maxAmountOf(coarse, 'LIMIT')?.toFixed()).toBe('100');
  });

  it('make the least amount a multiple of the coarser step', () => {
    expect(
      leastAmountOf({ type: 'MARKET', valuation: new Exact('900'), isReduceOnly: false }, coarse).toFixed(),
    ).toBe('0.02');
  });
});

describe('choices', () => {
  it('are those that the contract and the pair allow', () => {
    expect(timesInForceOf(pair, 'LIMIT')).toEqual(['GTC', 'IOC', 'POST_ONLY']);
    expect(timesInForceOf(pair, 'STOP_LIMIT')).toEqual(['GTC', 'IOC']);
    expect(timesInForceOf(samplePair({ time_in_forces: [] }), 'MARKET')).toEqual(['GTC']);
    expect(orderTypesOf(samplePair({ order_types: ['MARKET', 'LIMIT'] }))).toEqual(['LIMIT', 'MARKET']);
  });
});
