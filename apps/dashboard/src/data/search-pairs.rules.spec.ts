import { pairsBeginningWith, searchPairs } from './search-pairs.rules';

const samplePair = (changes: {
  readonly id: string;
  readonly symbol: string;
  readonly exchange?: string;
  readonly trading_type?: 'spot' | 'margin';
  readonly is_active?: boolean;
}) => ({
  exchange: 'paper',
  trading_type: 'spot' as const,
  is_active: true,
  ...changes,
});
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

it('lists the pair of spot before that of margin', () => {
  const both = [
    samplePair({ id: 'margin', symbol: 'BTC/USDT', trading_type: 'margin' }),
    samplePair({ id: 'spot', symbol: 'BTC/USDT' }),
  ];
  expect(searchPairs(both, 'btc').map(({ id }) => id)).toEqual(['spot', 'margin']);
});

it('finds a pair of one exchange', () => {
  expect(found('btc bin')).toEqual(['c']);
});

it('returns every active pair for nothing typed', () => {
  expect(found(' ')).toHaveLength(3);
});

it('separates pairs whose base was typed from those that only begin with the text', () => {
  const all = [...pairs, samplePair({ id: 'e', symbol: 'BTCDOM/USDT' })];
  const named = (text: string, isNamed: boolean) =>
    pairsBeginningWith(all, text, isNamed).map(({ id }) => id);
  expect(named('btc', true)).toEqual(['b', 'c']);
  expect(named('btc', false)).toEqual(['e']);
  expect(named('btc usdt', true)).toEqual(['b', 'c']);
  expect(named('usdt', true)).toEqual([]);
});
