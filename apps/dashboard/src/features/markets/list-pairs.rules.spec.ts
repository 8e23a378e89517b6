import { listPairs, valuesOf } from './list-pairs.rules';
import type { Pair } from './pair';

const pair = (symbol: string, exchange: string, trading_type = 'spot') =>
  ({ symbol, exchange, trading_type }) as Pair;
const pairs = [pair('ETH/USDT', 'paper'), pair('BTC/USDT', 'paper'), pair('BTC/EUR', 'binance', 'margin')];
const symbols = (request: Parameters<typeof listPairs>[1]) =>
  listPairs(pairs, request).map(({ symbol }) => symbol);

it('searches symbols with and without the slash', () => {
  expect(symbols({ search: 'btcu' })).toEqual(['BTC/USDT']);
  expect(symbols({ search: 'c/e' })).toEqual(['BTC/EUR']);
});

it('filters by exchange and trading type', () => {
  expect(symbols({ exchange: 'paper' })).toEqual(['BTC/USDT', 'ETH/USDT']);
  expect(symbols({ trading_type: 'margin' })).toEqual(['BTC/EUR']);
});

it('sorts in both directions, by symbol within an exchange', () => {
  expect(symbols({ sort: 'symbol', order: 'desc' })).toEqual(['ETH/USDT', 'BTC/USDT', 'BTC/EUR']);
  expect(symbols({ sort: 'exchange', order: 'desc' })).toEqual(['BTC/USDT', 'ETH/USDT', 'BTC/EUR']);
});

it('lists the values of a filter once', () => {
  expect(valuesOf(pairs, 'exchange')).toEqual(['binance', 'paper']);
});
