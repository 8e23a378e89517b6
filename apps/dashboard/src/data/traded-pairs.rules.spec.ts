import { pairOptions } from './traded-pairs.rules';

it('names the trading type of pairs that have the same symbol', () => {
  const pair = (trade_pair_id: string, symbol: string, trading_type: 'spot' | 'margin') => ({
    trade_pair_id,
    symbol,
    trading_type,
  });
  expect(
    pairOptions([
      pair('a', 'BTC/USDT', 'spot'),
      pair('b', 'BTC/USDT', 'margin'),
      pair('c', 'ETH/USDT', 'margin'),
    ]),
  ).toEqual([
    { value: 'a', label: 'BTC/USDT, spot' },
    { value: 'b', label: 'BTC/USDT, margin' },
    { value: 'c', label: 'ETH/USDT' },
  ]);
});
