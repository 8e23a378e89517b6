import ccxt from 'ccxt';

const SYMBOL = 'BTC/USDT';

/**
 * ccxt and ccxt.pro, of which nothing but the URLs is replaced.
 *
 * @type {import('../client.mjs').OpenClient}
 */
export async function openCcxt({ url, api_key, api_secret }) {
  const exchange = new ccxt.pro.binance({ apiKey: api_key, secret: api_secret });
  rewriteUrls(/** @type {Record<string, unknown>} */ (exchange.urls.api), url);
  await exchange.loadHttpProxyAgent();
  await exchange.loadMarkets();
  const raw = /** @type {Record<string, (params: object) => Promise<unknown>>} */ (
    /** @type {unknown} */ (exchange)
  );
  /** @type {(name: string, params?: object) => Promise<unknown>} */
  const call = (name, params = {}) => /** @type {Function} */ (raw[name]).call(exchange, params);
  return {
    watchOrders: async (onOrder) => {
      const next = async () => {
        for (const { clientOrderId, status } of await exchange.watchOrders(SYMBOL))
          onOrder(
            String(clientOrderId),
            status === 'open' ? 'NEW' : status === 'closed' ? 'FILLED' : 'CANCELED',
          );
      };
      await exchange.authenticate({ type: 'spot' });
      void (async () => {
        for (;;) await next();
      })().catch(() => undefined);
    },
    placeLimit: ({ id, price, quantity }) =>
      exchange.createOrder(SYMBOL, 'limit', 'buy', quantity, price, { clientOrderId: id }),
    placeMarket: ({ id, quantity }) =>
      exchange.createOrder(SYMBOL, 'market', 'buy', quantity, undefined, { clientOrderId: id }),
    statusOf: async (id) => {
      const { status } = await exchange.fetchOrder('', SYMBOL, { origClientOrderId: id });
      return status === 'open' ? 'NEW' : status === 'closed' ? 'FILLED' : 'CANCELED';
    },
    cancel: (id) => exchange.cancelOrder('', SYMBOL, { origClientOrderId: id }),
    methods: {
      exchangeInfo: () => exchange.fetchMarkets(),
      time: () => exchange.fetchTime(),
      ping: () => call('publicGetPing'),
      depth: () => exchange.fetchOrderBook(SYMBOL),
      trades: () => call('publicGetTrades', { symbol: 'BTCUSDT' }),
      historicalTrades: () => call('publicGetHistoricalTrades', { symbol: 'BTCUSDT' }),
      aggTrades: () => exchange.fetchTrades(SYMBOL),
      klines: () => exchange.fetchOHLCV(SYMBOL, '1s'),
      uiKlines: () => call('publicGetUiKlines', { symbol: 'BTCUSDT', interval: '1m' }),
      avgPrice: () => call('publicGetAvgPrice', { symbol: 'BTCUSDT' }),
      'ticker/24hr': () => exchange.fetchTickers(),
      'ticker/price': () => exchange.fetchLastPrices([SYMBOL]),
      'ticker/bookTicker': () => exchange.fetchBidsAsks([SYMBOL]),
      ticker: () => call('publicGetTicker', { symbol: 'BTCUSDT' }),
      'ticker/tradingDay': () => call('publicGetTickerTradingDay', { symbol: 'BTCUSDT' }),
      'order/test': () => exchange.createOrder(SYMBOL, 'limit', 'buy', 0.01, 50_000, { test: true }),
      'order/cancelReplace': async () => {
        const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.01, 50_000);
        return exchange.editOrder(String(id), SYMBOL, 'limit', 'buy', 0.01, 51_000);
      },
      openOrders: () => exchange.fetchOpenOrders(SYMBOL),
      cancelOpenOrders: async () => {
        await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.01, 50_000);
        return exchange.cancelAllOrders(SYMBOL);
      },
      allOrders: () => exchange.fetchOrders(SYMBOL),
      'orderList/oco': () =>
        call('privatePostOrderListOco', {
          symbol: 'BTCUSDT',
          side: 'SELL',
          quantity: '0.01',
          aboveType: 'LIMIT_MAKER',
          abovePrice: '70000',
          belowType: 'STOP_LOSS',
          belowStopPrice: '50000',
        }),
      openOrderList: () => call('privateGetOpenOrderList'),
      allOrderList: () => call('privateGetAllOrderList'),
      account: () => exchange.fetchBalance(),
      myTrades: () => exchange.fetchMyTrades(SYMBOL),
      'rateLimit/order': () => call('privateGetRateLimitOrder'),
      'account/commission': () => call('privateGetAccountCommission', { symbol: 'BTCUSDT' }),
      tradeFee: () => exchange.fetchTradingFees(),
      systemStatus: () => exchange.fetchStatus(),
      accountStatus: () => call('sapiGetAccountStatus'),
      walletCoins: () => exchange.fetchCurrencies(),
      'stream depth': () => exchange.watchOrderBook(SYMBOL),
      'stream ticker': () => exchange.watchTicker(SYMBOL),
      'ws order.place': () => exchange.createOrderWs(SYMBOL, 'limit', 'buy', 0.01, 50_000),
      myPreventedMatches: () => call('privateGetMyPreventedMatches', { symbol: 'BTCUSDT' }),
      withdraw: () => call('sapiPostCapitalWithdrawApply', { coin: 'BTC', address: 'none', amount: '1' }),
    },
    close: () => exchange.close(),
  };
}

/**
 * Replaces the origin of every URL, at any depth.
 *
 * @param {Record<string, unknown>} urls
 * @param {string} base
 */
export function rewriteUrls(urls, base) {
  for (const [name, value] of Object.entries(urls)) {
    if (typeof value === 'string') {
      urls[name] = value
        .replace(/^https?:\/\/[^/]+/, base)
        // The client recognises messages of spot by `/stream` in the URL, so the host becomes a part of the path.
        .replace(/^wss?:\/(\/[^/]+)/, `${base.replace('http', 'ws')}$1`);
    } else if (value !== null && typeof value === 'object')
      rewriteUrls(/** @type {Record<string, unknown>} */ (value), base);
  }
}
