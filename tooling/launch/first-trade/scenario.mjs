import { setTimeout as wait } from 'node:timers/promises';
import { generatePrivateKey } from '../sdk.mjs';
import { createClient, openAccount } from './client.mjs';
import { startReceiver } from './receiver.mjs';

const defaultTimeoutMs = 30_000;

/**
 * Runs the main use case end to end, only through the public API. A key pair becomes an account, a paper account
 * is linked, and trades are placed. One rests and is cancelled, the other is filled, and signed webhooks report both.
 *
 * @param {{
 *   restUrl: string, paperExchangeUrl: string,
 *   step?: (name: string, result: string, ms: number) => void,
 * }} options `step` receives each step that succeeded
 */
export async function runFirstTrade({ restUrl, paperExchangeUrl, step = () => {} }) {
  /**
   * @template T
   * @param {string} name
   * @param {() => Promise<T>} work
   * @param {(result: T) => string} [show]
   */
  async function runStep(name, work, show = () => '') {
    const startedAt = performance.now();
    const result = await work();
    step(name, show(result), performance.now() - startedAt);
    return result;
  }

  const receiver = await startReceiver();
  try {
    const credentials = await runStep('paper account opened', () => openPaperAccount(paperExchangeUrl));
    const { api } = await runStep(
      'key pair linked by challenge and signature',
      () => openAccount({ restUrl, privateKey: generatePrivateKey() }),
      ({ identity }) => identity.id,
    );
    const { key } = await runStep(
      'API key created by signed request',
      () => api.apiKeys.create({ name: 'first trade', permissions: ['READ', 'TRADE'] }),
      ({ id, prefix, last_four }) => `${id} (${prefix}…${last_four})`,
    );
    const trader = createClient({ restUrl, apiKey: key });
    const venue = /** @type {const} */ ({ exchange: 'paper', trading_type: 'spot', credentials });
    await runStep('exchange credentials tested', () => trader.exchanges.test(venue));
    const account = await runStep(
      'exchange account added',
      () => trader.exchanges.create({ ...venue, account_name: 'first trade' }),
      ({ id }) => id,
    );
    const synced = await runStep(
      'balances synced',
      async () => {
        await trader.exchanges.sync(account.id);
        return until(
          () => trader.exchanges.get(account.id),
          ({ last_sync_at }) => last_sync_at !== null,
        );
      },
      ({ balance }) => JSON.stringify(balance),
    );
    const pairs = await runStep(
      'pairs listed',
      () => pairsOf(trader),
      (list) => list.map(({ symbol }) => symbol).join(', '),
    );
    const pair = pairNamed('BTC/USDT', pairs);

    const webhook = await runStep(
      'webhook registered',
      () => api.webhooks.create({ url: receiver.url, events: ['trade.*'], description: 'first trade' }),
      ({ id }) => id,
    );
    receiver.useSecret(webhook.secret);

    const order = /** @type {const} */ ({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      side: 'BUY',
    });
    const limit = await runStep(
      'LIMIT placed far below the market',
      () => trader.trades.create({ ...order, type: 'LIMIT', price: 10_000, amount: '0.001' }),
      ({ id, status }) => `${id} ${status}`,
    );
    const market = await runStep(
      'MARKET placed',
      () => trader.trades.create({ ...order, type: 'MARKET', amount: 0.01 }),
      ({ id, status }) => `${id} ${status}`,
    );
    const filled = await runStep(
      'MARKET filled',
      () =>
        until(
          () => trader.trades.get(market.id),
          ({ status }) => status === 'FILLED',
        ),
      ({ filled_amount, average_price, fee }) =>
        `${filled_amount} at ${average_price}, fee ${fee.amount} ${fee.currency}`,
    );
    const resting = await runStep('LIMIT rests', () =>
      until(
        () => trader.trades.get(limit.id),
        ({ exchange_order_id }) => exchange_order_id !== undefined,
      ),
    );
    const cancelled = await runStep(
      'LIMIT cancelled',
      () => trader.trades.cancel(limit.id),
      ({ status, cancel_reason }) => `${status} by ${cancel_reason}`,
    );

    const deliveries = await runStep(
      'webhooks received and verified',
      () =>
        Promise.all(
          [
            ['trade.created', limit.id],
            ['trade.created', market.id],
            ['trade.filled', market.id],
            ['trade.cancelled', limit.id],
          ].map(([type, id]) =>
            receiver.until(
              `${type} of ${id}`,
              ({ event, isGenuine }) => event.type === type && event.data.id === id && isGenuine,
            ),
          ),
        ),
      (list) => list.map(({ event }) => event.type).join(', '),
    );
    return {
      api,
      key,
      credentials,
      trader,
      account,
      synced,
      pair,
      webhook,
      limit,
      market,
      filled,
      resting,
      cancelled,
      deliveries,
    };
  } finally {
    await receiver.stop();
  }
}

/**
 * @param {string} paperExchangeUrl
 * @param {Record<string, string>} [balances]
 * @param {Record<string, string>} [futuresBalances]
 * @returns {Promise<{ api_key: string, api_secret: string }>}
 */
export async function openPaperAccount(
  paperExchangeUrl,
  balances = { USDT: '100000', BTC: '1' },
  futuresBalances = {},
) {
  const response = await fetch(`${paperExchangeUrl}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ balances, futures_balances: futuresBalances }),
  });
  if (!response.ok) throw new Error(`could not open an account at the paper exchange: ${response.status}`);
  const { api_key, api_secret } = /** @type {{ api_key: string, api_secret: string }} */ (
    await response.json()
  );
  return { api_key, api_secret };
}

/**
 * Returns the pairs of the paper exchange with a trading type. Waits until the worker has loaded them.
 *
 * @param {import('@trading-automation/sdk').Client} api
 * @param {import('@trading-automation/sdk').TradePairsListQuery['trading_type']} [tradingType]
 */
export function pairsOf(api, tradingType = 'spot') {
  const query = /** @type {const} */ ({ exchange: 'paper', sort: 'symbol', order: 'asc', limit: 100 });
  return until(
    async () => (await api.tradePairs.list({ ...query, trading_type: tradingType })).data,
    ({ length }) => length > 0,
  );
}

/**
 * @template {{ symbol: string }} P
 * @param {string} symbol
 * @param {readonly P[]} pairs
 */
export function pairNamed(symbol, pairs) {
  const pair = pairs.find((each) => each.symbol === symbol);
  if (pair === undefined) throw new Error(`the pair ${symbol} does not exist`);
  return pair;
}

/**
 * Repeats `read` until its value is as expected, and returns the value.
 *
 * @template T
 * @param {() => Promise<T>} read
 * @param {(value: T) => boolean} isExpected
 * @param {number} [timeoutMs]
 * @returns {Promise<T>}
 */
export async function until(read, isExpected, timeoutMs = defaultTimeoutMs) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isExpected(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(`no expected value within ${timeoutMs} ms; the last one: ${JSON.stringify(value)}`);
    }
    await wait(50);
  }
}
