import { until } from '../launch/first-trade/scenario.mjs';
import { MAIN_ACCOUNT } from './cast.mjs';

/** @typedef {import('@trading-automation/sdk').Client} Api */

const PARTIAL_ATTEMPTS = 6;
const FILLED_WITHIN_MS = 1500;

/** Open orders of the main account; `distance` is the share of the price between the market and the order. */
const ORDERS = /** @type {const} */ ([
  { symbol: 'BTC/USDT', side: 'BUY', type: 'LIMIT', distance: -0.035, amount: '1.5' },
  { symbol: 'BTC/USDT', side: 'SELL', type: 'LIMIT', distance: 0.06, amount: '0.8' },
  { symbol: 'ETH/USDT', side: 'BUY', type: 'LIMIT', distance: -0.05, amount: '25' },
  { symbol: 'ETH/USDT', side: 'SELL', type: 'STOP_MARKET', distance: -0.08, amount: '20' },
  { symbol: 'SOL/USDT', side: 'SELL', type: 'LIMIT', distance: 0.045, amount: '300' },
]);

/**
 * Places the open orders of the main account through the API, so that the exchange knows them. One of them is filled in
 * part.
 *
 * @param {{
 *   demo: Api, paperExchangeUrl: string, market: import('./market.mjs').Market, accounts: ReadonlyMap<string, string>,
 *   pairs: ReadonlyMap<string, string>,
 * }} options the ids are public ones
 */
export async function placeOpenOrders({ demo, paperExchangeUrl, market, accounts, pairs }) {
  const head = (/** @type {string} */ symbol) => ({
    exchange_account_id: accounts.get(MAIN_ACCOUNT) ?? '',
    trade_pair_id: pairs.get(symbol) ?? '',
  });
  const priceOf = (/** @type {string} */ symbol, /** @type {number} */ distance) =>
    (market.priceAt(symbol, market.end) * (1 + distance)).toFixed(2);
  await placePartlyFilled({
    demo,
    paperExchangeUrl,
    order: head('SOL/USDT'),
    price: priceOf('SOL/USDT', -0.012),
  });
  await Promise.all(
    ORDERS.map(async ({ symbol, side, type, distance, amount }) => {
      const price = priceOf(symbol, distance);
      const prices = type === 'LIMIT' ? { price } : { stop_price: price };
      const trade = await demo.trades.create({ ...head(symbol), side, type, amount, ...prices });
      await until(
        () => demo.trades.get(trade.id),
        ({ exchange_order_id, status }) => exchange_order_id !== undefined && status === 'PENDING',
      );
    }),
  );
}

/**
 * Places an order below the market while the exchange offers a small amount at its price, which fills a part of it. The
 * market maker withdraws the offer within a moment, so this may take several attempts.
 *
 * @param {{
 *   demo: Api, paperExchangeUrl: string, order: { exchange_account_id: string, trade_pair_id: string }, price: string,
 * }} options
 */
async function placePartlyFilled({ demo, paperExchangeUrl, order, price }) {
  for (let attempt = 0; attempt < PARTIAL_ATTEMPTS; attempt++) {
    await offer(paperExchangeUrl, price);
    const { id } = await demo.trades.create({ ...order, side: 'BUY', type: 'LIMIT', amount: '200', price });
    const isPartlyFilled = await until(
      () => demo.trades.get(id),
      ({ status }) => status === 'PARTIALLY_FILLED',
      FILLED_WITHIN_MS,
    ).catch(() => undefined);
    if (isPartlyFilled !== undefined) return;
    await demo.trades.cancel(id);
  }
}

/**
 * @param {string} paperExchangeUrl
 * @param {string} price
 */
async function offer(paperExchangeUrl, price) {
  const bid = (Number(price) * 0.999).toFixed(2);
  const response = await fetch(`${paperExchangeUrl}/admin/book`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ symbol: 'SOLUSDT', bids: [[bid, '50']], asks: [[price, '64.5']] }),
  });
  if (!response.ok) throw new Error(`could not change the book of the paper exchange: ${response.status}`);
}
