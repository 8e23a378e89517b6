import type { Logger } from '@trading-automation/runtime';
import { MarginEstimator } from './margin-estimator.js';

const MARKETS = [
  { exchange: 'a', symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT'], accountIds: ['one', 'two'] },
  { exchange: 'b', symbols: ['BTC/USDT:USDT'], accountIds: ['three'] },
];
type Prices = Readonly<Record<string, string>>;

/** Estimates for the accounts of two exchanges, and returns what was stored and which exchanges count as moved. */
async function estimate(pricesOf: (exchange: string) => Prices) {
  const moves: [readonly string[], Prices][] = [];
  let moved: readonly string[] = [];
  let unpriced: readonly string[] = [];
  const warnings: unknown[] = [];
  const estimates = {
    openMarkets: async () => MARKETS,
    move: async (accountIds: readonly string[], prices: Prices) => void moves.push([accountIds, prices]),
    due: async (
      _accountIds: readonly string[],
      exchanges: readonly string[],
      markets: readonly string[] = [],
    ) => {
      moved = exchanges;
      unpriced = markets;
      return ['one'];
    },
  };
  const venues = { get: (id: string) => ({ fetchMarkPrices: async () => pricesOf(id) }) as never };
  const logger = { warn: (fields: unknown) => void warnings.push(fields) } as unknown as Logger;
  const due = await new MarginEstimator(estimates, venues, logger).due(['one', 'two', 'three', 'idle']);
  return { moves, moved, unpriced, warnings, due };
}

it('the mark prices of each exchange move the accounts that hold positions there', async () => {
  const prices = { a: { 'BTC/USDT:USDT': '1', 'ETH/USDT:USDT': '2' }, b: { 'BTC/USDT:USDT': '3' } };
  const { moves, moved, due } = await estimate((exchange) => prices[exchange as 'a' | 'b']);
  expect(moves).toEqual([
    [['one', 'two'], prices.a],
    [['three'], prices.b],
  ]);
  expect([moved, due]).toEqual([['a', 'b'], ['one']]);
});

it('an exchange whose mark prices cannot be read does not count as moved, and stops no other; a missing one is named', async () => {
  const { moved, warnings } = await estimate((exchange) => {
    if (exchange === 'a') throw new Error('down');
    return { 'BTC/USDT:USDT': '3' };
  });
  expect([moved, warnings]).toMatchObject([['b'], [{ event: 'mark_prices.not_read', exchanges: ['a'] }]]);
  const partial = await estimate(() => ({ 'BTC/USDT:USDT': '3' }));
  expect([partial.moved, partial.warnings]).toEqual([['a', 'b'], []]);
  expect(partial.unpriced).toEqual(['a ETH/USDT:USDT']);
});
