import { pairsOf, until } from '../launch/first-trade/scenario.mjs';
import { PAIRS } from './market.mjs';
import { createRandom } from './random.mjs';

/**
 * Returns the pairs with their last prices, and their public ids. Stores the pairs that the exchange does not list as
 * inactive.
 *
 * @param {import('@trading-automation/sdk').Client} demo
 * @param {import('pg').Client} database
 */
export async function readPairs(demo, database) {
  const listed = (await pairsOf(demo)).filter(({ is_active }) => is_active);
  const random = createRandom('pairs');
  for (const pair of PAIRS) {
    if (listed.some(({ symbol }) => symbol === pair.symbol)) continue;
    const [base, quote] = pair.symbol.split('/');
    const step = (/** @type {number} */ decimals) => (10 ** -decimals).toFixed(decimals);
    await database.query(INSERT_PAIR, [
      random.uuid(Date.now()),
      pair.symbol,
      base,
      quote,
      step(pair.tickDecimals),
      step(pair.stepDecimals),
      pair.price,
    ]);
  }
  const all = await pairsOf(demo);
  const pairs = await Promise.all(
    PAIRS.map(async (pair) => {
      const known = listed.find(({ symbol }) => symbol === pair.symbol);
      const price = known === undefined ? pair.price : Number((await demo.tradePairs.ticker(known.id)).last);
      return { ...pair, base: pair.symbol.split('/')[0] ?? '', price, isListed: known !== undefined };
    }),
  );
  const pairIds = new Map(all.map(({ symbol, id }) => [symbol, id]));
  return { pairs, pairIds: new Map(pairs.map(({ symbol }) => [symbol, pairIds.get(symbol) ?? ''])) };
}

const INSERT_PAIR = `
  INSERT INTO trade_pairs (id, exchange, symbol, exchange_symbol, base, quote, trading_type, price_tick, amount_step,
    min_amount, min_notional, last_price, is_active, rules_updated_at)
  VALUES ($1, 'paper', $2, $3 || $4, $3, $4, 'spot', $5, $6, $6, 10, $7, false, now()) ON CONFLICT DO NOTHING`;

/** Returns the spot account that the demo user opened first, with its balances. @param {import('@trading-automation/sdk').Client} demo */
export async function mainAccountOf(demo) {
  const account = await until(
    async () =>
      (await demo.exchanges.list({ sort: 'created_at', order: 'asc', limit: 100 })).data.find(
        ({ trading_type }) => trading_type === 'spot',
      ),
    (first) => first === undefined || first.last_sync_at !== null,
  );
  if (account === undefined) throw new Error('the demo user has no spot account');
  const { id, balance } = account;
  const balances = Object.fromEntries(
    Object.entries(balance).map(([asset, amount]) => [asset, Number(amount)]),
  );
  return { id, balances };
}
