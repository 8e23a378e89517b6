import { samplePair } from './pair.sample';
import { searchPairs } from './search-pairs.rules';

const pairs = [
  samplePair({ id: 'a', symbol: 'WBTC/USDT' }),
  samplePair({ id: 'b', symbol: 'BTC/USDT' }),
  samplePair({ id: 'c', symbol: 'BTC/USDT', exchange: 'binance' }),
  samplePair({ id: 'd', symbol: 'BTC/EUR', is_active: false }),
];
const found = (text: string) => searchPairs(pairs, text).map(({ id }) => id);

it('finds pairs with and without the slash, beginnings first', () => {
  expect(found('btcu')).toEqual(['b', 'c', 'a']);
  expect(found('BTC/usdt')).toEqual(['b', 'c', 'a']);
});

it('finds a pair of one exchange', () => {
  expect(found('btc bin')).toEqual(['c']);
});

it('returns every active pair for nothing typed', () => {
  expect(found(' ')).toHaveLength(3);
});
