import { pairNamed, pairsOf, until } from '../launch/first-trade/scenario.mjs';
import { insertRows } from './insert-rows.mjs';
import { DAY_MS } from './market.mjs';
import { uuidOf } from './people.mjs';
import { instantOf } from './units.mjs';

/** Positions of the demo user's account of perpetuals; the second order of ETH closes a part of the first. */
const MARKETS = /** @type {const} */ ([
  { symbol: 'BTC/USDT:USDT', leverage: '10', orders: [{ side: 'BUY', amount: '2.4' }] },
  {
    symbol: 'ETH/USDT:USDT',
    leverage: '5',
    orders: [
      { side: 'SELL', amount: '60' },
      { side: 'BUY', amount: '18' },
    ],
  },
]);
const FUNDING_RATE = '0.0001';

/**
 * Opens positions in perpetuals through the API, on both sides and with a partly closed one, and has funding paid for them.
 * Until then, the account has the same equity on each day. Does nothing if the demo user has no account of perpetuals.
 *
 * @param {import('pg').Client} database
 * @param {{
 *   demo: import('@trading-automation/sdk').Client, paperExchangeUrl: string, market: import('./market.mjs').Market,
 * }} options
 */
export async function openPositions(database, { demo, paperExchangeUrl, market }) {
  const accounts = (await demo.exchanges.list({ limit: 100 })).data;
  const account = accounts.find(({ trading_type }) => trading_type === 'perpetual');
  if (account === undefined) return;
  await insertRows(database, 'equity_snapshots', equityRows(account, market.days));
  const pairs = await pairsOf(demo, 'perpetual');
  for (const { symbol, leverage, orders } of MARKETS) {
    const { id: trade_pair_id } = pairNamed(symbol, pairs);
    await demo.positions.setLeverage(account.id, { trade_pair_id, leverage });
    for (const order of orders) {
      const head = { exchange_account_id: account.id, trade_pair_id };
      const { id } = await demo.trades.create({ ...head, ...order, type: 'MARKET' });
      await until(
        () => demo.trades.get(id),
        ({ status }) => status === 'FILLED',
      );
    }
    await payFunding(paperExchangeUrl, symbol);
  }
  await until(
    () => demo.positions.list({}),
    ({ data }) => data.length === MARKETS.length && data.every(({ funding_paid }) => funding_paid !== 0),
  );
}

/**
 * @param {{ id: string, balance: Readonly<Record<string, number>> }} account
 * @param {readonly number[]} days
 */
const equityRows = ({ id, balance }, days) =>
  days.slice(0, -1).map((day) => ({
    exchange_account_id: uuidOf('exa', id),
    currency: 'USDT',
    period: instantOf(day + DAY_MS - 300_000),
    taken_at: instantOf(day + DAY_MS - 60_000),
    amount: balance.USDT,
  }));

/**
 * @param {string} paperExchangeUrl
 * @param {string} symbol
 */
async function payFunding(paperExchangeUrl, symbol) {
  const response = await fetch(`${paperExchangeUrl}/admin/funding`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ symbol, rate: FUNDING_RATE }),
  });
  if (!response.ok) throw new Error(`could not pay funding at the paper exchange: ${response.status}`);
}
