import binanceApiNode from 'binance-api-node';

const symbol = 'BTCUSDT';

/**
 * @typedef {{
 *   user(listener: (event: Record<string, string>) => void): Promise<() => void>,
 *   partialDepth(options: object, listener: (event: unknown) => void): () => void,
 *   ticker(symbol: string, listener: (event: unknown) => void): () => void,
 * }} Sockets
 */

// The CommonJS package is imported as a whole; its function is a property.
const { default: open } = /** @type {{ default: (options: object) => Record<string, unknown> }} */ (
  /** @type {unknown} */ (binanceApiNode)
);

/**
 * The package `binance-api-node`.
 *
 * @type {import('../client.mjs').OpenClient}
 */
export async function openBinanceApiNode({ url, api_key: apiKey, api_secret: apiSecret }) {
  const socketUrl = url.replace('http', 'ws');
  const client = open({
    apiKey,
    apiSecret,
    httpBase: url,
    wsBase: `${socketUrl}/ws`,
    wsApi: `${socketUrl}/ws-api/v3`,
  });
  /** @type {(name: string, params?: object) => Promise<unknown>} */
  const call = (name, params) => /** @type {Function} */ (client[name]).call(client, params);
  const { ws } = /** @type {{ ws: Sockets }} */ (/** @type {unknown} */ (client));
  const limit = { symbol, side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' };
  /** @type {(() => void)[]} */
  const closers = [];
  return {
    watchOrders: async (onOrder) => {
      closers.push(
        await ws.user((event) => {
          const { eventType, newClientOrderId, originalClientOrderId, orderStatus } = event;
          if (eventType === 'executionReport')
            onOrder(String(originalClientOrderId || newClientOrderId), String(orderStatus));
        }),
      );
    },
    placeLimit: ({ id, price, quantity }) =>
      call('order', { ...limit, price: String(price), quantity: String(quantity), newClientOrderId: id }),
    placeMarket: ({ id, quantity }) =>
      call('order', {
        symbol,
        side: 'BUY',
        type: 'MARKET',
        quantity: String(quantity),
        newClientOrderId: id,
      }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (await call('getOrder', { symbol, origClientOrderId: id })).status,
    cancel: (id) => call('cancelOrder', { symbol, origClientOrderId: id }),
    methods: {
      exchangeInfo: () => call('exchangeInfo', { symbol }),
      time: () => call('time'),
      ping: () => call('ping'),
      depth: () => call('book', { symbol }),
      trades: () => call('trades', { symbol }),
      historicalTrades: () => call('tradesHistory', { symbol }),
      aggTrades: () => call('aggTrades', { symbol }),
      klines: () => call('candles', { symbol, interval: '1m' }),
      avgPrice: () => call('avgPrice', { symbol }),
      'ticker/24hr': () => call('dailyStats', { symbol }),
      'ticker/price': () => call('prices', { symbol }),
      'ticker/bookTicker': () => call('allBookTickers'),
      'order/test': () => call('orderTest', limit),
      openOrders: () => call('openOrders', { symbol }),
      cancelOpenOrders: async () => {
        await call('order', limit);
        return call('cancelOpenOrders', { symbol });
      },
      allOrders: () => call('allOrders', { symbol }),
      'order/oco': () =>
        call('orderOco', { symbol, side: 'SELL', quantity: '0.01', price: '70000', stopPrice: '50000' }),
      allOrderList: () => call('allOrdersOCO'),
      account: () => call('accountInfo'),
      myTrades: () => call('myTrades', { symbol }),
      tradeFee: () => call('tradeFee'),
      walletCoins: () => call('accountCoins'),
      keyRights: () => call('apiRestrictions'),
      listenKey: () => call('getDataStream'),
      'stream depth': () =>
        new Promise((resolve) => closers.push(ws.partialDepth({ symbol, level: 5 }, resolve))),
      'stream ticker': () => new Promise((resolve) => closers.push(ws.ticker(symbol, resolve))),
      withdraw: () => call('withdraw', { coin: 'BTC', address: 'none', amount: 1 }),
    },
    close: async () => {
      for (const close of closers) close();
    },
  };
}
