import { listedPriceOf, orderPricesOf } from './order-price.rules';

describe('the prices of an order', () => {
  const [price, stop_price] = ['101', '99'];
  const limit = { name: 'Limit price', value: price };
  const stop = { name: 'Stop price', value: stop_price };

  it.each([
    ['LIMIT', { price }, [limit]],
    ['MARKET', {}, []],
    ['STOP_LIMIT', { price, stop_price }, [stop, limit]],
    ['STOP_MARKET', { stop_price }, [stop]],
  ])('of type %s are those that it was given with', (type, prices, expected) => {
    expect(orderPricesOf({ type, ...prices })).toEqual(expected);
  });

  it('are one in a list: of the fills, or else the limit, or else the stop', () => {
    const type = 'STOP_MARKET';
    expect(listedPriceOf({ type, average_price: '98', stop_price })).toEqual({ value: '98', isStop: false });
    expect(listedPriceOf({ type: 'STOP_LIMIT', price, stop_price })).toEqual({ value: price, isStop: false });
    expect(listedPriceOf({ type, stop_price })).toEqual({ value: stop_price, isStop: true });
    expect(listedPriceOf({ type: 'MARKET' })).toEqual({ value: undefined, isStop: false });
  });
});
