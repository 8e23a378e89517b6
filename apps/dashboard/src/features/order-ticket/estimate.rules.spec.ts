import { freeBalances } from '../../data/free-balance.rules';
import { Exact } from '../../format/decimals';
import { walkBook } from './book-walk.rules';
import {
  amountForCost,
  amountForShare,
  cautionsOf,
  estimateOf,
  type PricedOrder,
  valuationOf,
} from './estimate.rules';
import { samplePair } from './pair.sample';

const pair = samplePair();
const perpetual = samplePair({ symbol: 'BTC/USDT:USDC', trading_type: 'perpetual', settle: 'USDC' });
const book = {
  bids: [
    ['99', '1'],
    ['98', '2'],
  ],
  asks: [
    ['100', '1'],
    ['102', '1'],
    ['110', '1'],
  ],
} as const;
const exact = (value: string) => new Exact(value);
const market = (side: 'BUY' | 'SELL'): PricedOrder => ({ type: 'MARKET', side });
const limit = (side: 'BUY' | 'SELL', price: string): PricedOrder => ({
  type: 'LIMIT',
  side,
  price: exact(price),
});

describe('walkBook', () => {
  it('takes the best levels first', () => {
    const walk = walkBook(book.asks, { amount: exact('1.5') });
    expect(walk.cost.toFixed()).toBe('151');
    expect(walk.worstPrice?.toFixed()).toBe('102');
    expect(walk.averagePrice?.toFixed(4)).toBe('100.6667');
    expect(walk.slippage?.toFixed(4)).toBe('0.0067');
    expect(walk.isComplete).toBe(true);
  });

  it('says that the book is too small', () => {
    const walk = walkBook(book.asks, { amount: exact('4') });
    expect(walk).toMatchObject({ isComplete: false });
    expect(walk.amount.toFixed()).toBe('3');
  });

  it('is complete with exactly the last level', () => {
    expect(walkBook(book.asks, { amount: exact('3') }).isComplete).toBe(true);
  });

  it('spends a cost', () => {
    expect(walkBook(book.asks, { cost: exact('151') }).amount.toFixed()).toBe('1.5');
  });

  it('trades nothing against an empty side', () => {
    expect(walkBook([], { amount: exact('1') })).toMatchObject({
      averagePrice: undefined,
      isComplete: false,
    });
  });
});

describe('estimateOf', () => {
  it('expects the average price of the book and the taker fee for a market order', () => {
    const estimate = estimateOf(market('BUY'), exact('1.5'), pair, book, exact('100'));
    expect(estimate.cost?.toFixed()).toBe('151');
    expect(estimate.fee).toMatchObject({ asset: 'BTC', rate: '0.002' });
    expect(estimate.received?.amount.toFixed()).toBe('1.497');
    expect(estimate.needed?.amount.toFixed()).toBe('151');
  });

  it('charges a sale in quote', () => {
    const estimate = estimateOf(market('SELL'), exact('1'), pair, book, exact('100'));
    expect(estimate.received).toMatchObject({ asset: 'USDT' });
    expect(estimate.received?.amount.toFixed()).toBe('98.802');
    expect(estimate.needed).toMatchObject({ asset: 'BTC' });
  });

  it('charges the maker fee to an order that rests', () => {
    const estimate = estimateOf(limit('BUY', '90'), exact('2'), pair, book, exact('90'));
    expect(estimate).toMatchObject({ isImmediate: false, fee: { rate: '0.001' } });
    expect(estimate.cost?.toFixed()).toBe('180');
  });

  it('trades the part that crosses at the prices of the book', () => {
    const estimate = estimateOf(limit('BUY', '101'), exact('3'), pair, book, exact('101'));
    expect(estimate).toMatchObject({ isImmediate: true, fee: { rate: '0.002' } });
    expect(estimate.cost?.toFixed()).toBe('302');
    expect(estimate.needed?.amount.toFixed()).toBe('303');
  });

  it('pays only the fee of a perpetual, in its settlement currency', () => {
    for (const side of ['BUY', 'SELL'] as const) {
      const estimate = estimateOf(limit(side, '100'), exact('2'), perpetual, undefined, exact('100'));
      expect(estimate).toMatchObject({ needed: undefined, received: undefined });
      expect([estimate.fee?.amount.toFixed(), estimate.fee?.asset]).toEqual(['0.2', 'USDC']);
    }
  });

  it('has no fee without a rate', () => {
    const { fee, received } = estimateOf(
      market('BUY'),
      exact('1'),
      samplePair({ taker_fee: undefined }),
      book,
      exact('100'),
    );
    expect(fee).toBeUndefined();
    expect(received?.amount.toFixed()).toBe('1');
  });
});

describe('amounts', () => {
  it('converts a value to an amount that the step allows', () => {
    expect(amountForCost(limit('BUY', '3'), exact('10'), pair, book, exact('3'))?.toFixed()).toBe('3.3333');
    expect(amountForCost(market('BUY'), exact('151'), pair, book, exact('100'))?.toFixed()).toBe('1.5');
  });

  it('buys beyond the visible book at its worst price', () => {
    expect(amountForCost(market('BUY'), exact('422'), pair, book, exact('100'))?.toFixed()).toBe('4');
  });

  it('leaves a reserve when a market order buys a share', () => {
    expect(amountForShare(market('BUY'), '1', { USDT: '100' }, pair, book, exact('100'))?.toFixed()).toBe(
      '0.995',
    );
  });

  it('never needs more balance than the value, by the last price of the exchange', () => {
    expect(amountForCost(market('BUY'), exact('100'), pair, book, exact('125'))?.toFixed()).toBe('0.8');
  });

  it('takes a share of what is free', () => {
    const free = { BTC: '0.33333', USDT: '100' };
    expect(amountForShare(market('SELL'), '0.5', free, pair, book, exact('100'))?.toFixed()).toBe('0.1666');
    expect(amountForShare(limit('BUY', '50'), '0.25', free, pair, book, exact('50'))?.toFixed()).toBe('0.5');
    expect(amountForShare(market('SELL'), '1', {}, pair, book, exact('100'))?.toFixed()).toBe('0');
  });

  it('takes a share in the settlement currency on both sides of a perpetual', () => {
    for (const side of ['BUY', 'SELL'] as const)
      expect(
        amountForShare(limit(side, '50'), '0.5', { USDC: '200' }, perpetual, book, exact('50'))?.toFixed(),
      ).toBe('2');
  });

  it('values a market order by the last price, and by the middle without one', () => {
    expect(valuationOf(market('BUY'), book, '101')?.toFixed()).toBe('101');
    expect(valuationOf(market('BUY'), book, null)?.toFixed()).toBe('99.5');
    expect(valuationOf(market('BUY'), undefined, null)).toBeUndefined();
  });
});

describe('cautionsOf', () => {
  const cautions = (order: PricedOrder, amount: string, timeInForce = 'GTC') =>
    cautionsOf(
      { ...order, timeInForce },
      estimateOf(order, exact(amount), pair, book, order.price),
      book,
    ).join(' ');

  it('warns about a thin book and about slippage', () => {
    expect(cautions(market('BUY'), '9')).toMatch(/smaller than the order.*1 % worse/);
    expect(cautions(market('BUY'), '1')).toBe('');
  });

  it('warns about prices that the exchange refuses', () => {
    expect(cautions(limit('BUY', '100'), '1', 'POST_ONLY')).toMatch('post-only');
    expect(cautions(limit('BUY', '90'), '1', 'FOK')).toMatch('cancelled at once');
  });

  it('warns about a stop price that the market has passed', () => {
    const stop = (side: 'BUY' | 'SELL', stopPrice: string): PricedOrder => ({
      type: 'STOP_MARKET',
      side,
      stopPrice: exact(stopPrice),
    });
    expect(cautions(stop('BUY', '99'), '1')).toMatch('triggers at once');
    expect(cautions(stop('SELL', '95'), '1')).toBe('');
  });
});

describe('freeBalances', () => {
  it('subtracts what open orders hold', () => {
    const order = { symbol: 'BTC/USDT', remaining_amount: '2' };
    expect(
      freeBalances({ BTC: '3', USDT: '500' }, [
        { ...order, side: 'SELL' },
        { ...order, side: 'BUY', price: '100' },
        { ...order, side: 'BUY', stop_price: '1000' },
      ]),
    ).toEqual({ BTC: '1', USDT: '0' });
  });

  it('subtracts nothing for an order on a perpetual', () => {
    const order = { symbol: 'BTC/USDT:USDT', remaining_amount: '2', price: '100' };
    const free = { BTC: '3', USDT: '500' };
    expect(
      freeBalances(free, [
        { ...order, side: 'SELL' },
        { ...order, side: 'BUY' },
      ]),
    ).toEqual(free);
  });
});
