import Binance from 'node-binance-api';

const symbol = 'BTCUSDT';

/**
 * The package `node-binance-api`.
 *
 * @type {import('../client.mjs').OpenClient}
 */
export async function openNodeBinanceApi({ url, api_key: APIKEY, api_secret: APISECRET }) {
  const socketUrl = url.replace('http', 'ws');
  const client = new Binance({
    APIKEY,
    APISECRET,
    reconnect: false,
    log: () => undefined,
    urls: {
      base: `${url}/api/`,
      sapi: `${url}/sapi/`,
      stream: `${socketUrl}/ws/`,
      combineStream: `${socketUrl}/stream?streams=`,
    },
  });
  // It has an option for each URL but this one.
  const all = /** @type {Record<string, unknown> & typeof client} */ (/** @type {unknown} */ (client));
  Object.assign(client, { wsApi: `${socketUrl}/ws-api/v3` });
  /** @type {(name: string, ...args: unknown[]) => Promise<unknown>} */
  const call = (name, ...args) => /** @type {Function} */ (all[name]).call(client, ...args);
  return {
    watchOrders: (onOrder) =>
      new Promise((resolve) => {
        client.websockets.userData(
          () => undefined,
          () => undefined,
          (/** @type {Record<string, string>} */ { c, C, X }) =>
            onOrder(String(C === '' || C === undefined ? c : C), String(X)),
          () => resolve(),
        );
      }),
    placeLimit: ({ id, price, quantity }) =>
      call('limitOrder', 'BUY', symbol, quantity, price, { newClientOrderId: id }),
    placeMarket: ({ id, quantity }) => call('marketBuy', symbol, quantity, { newClientOrderId: id }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (
        await call('orderStatus', symbol, undefined, { origClientOrderId: id })
      ).status,
    cancel: (id) => call('cancel', symbol, undefined, { origClientOrderId: id }),
    methods: {
      exchangeInfo: () => call('exchangeInfo'),
      time: () => call('time'),
      ping: () => call('ping'),
      depth: () => call('depth', symbol),
      trades: () => call('recentTrades', symbol),
      historicalTrades: () => call('historicalTrades', symbol),
      aggTrades: () => call('aggTrades', symbol),
      klines: () => call('candlesticks', symbol, '1m'),
      avgPrice: () => call('avgPrice', symbol),
      'ticker/24hr': () => call('prevDay', symbol),
      'ticker/price': () => call('prices', symbol),
      'ticker/bookTicker': () => call('bookTickers', symbol),
      openOrders: () => call('openOrders', symbol),
      cancelOpenOrders: async () => {
        await call('limitOrder', 'BUY', symbol, 0.01, 50_000);
        return call('cancelAll', symbol);
      },
      allOrders: () => call('allOrders', symbol),
      'orderList/oco': () =>
        call('ocoOrder', 'SELL', symbol, 0.01, {
          aboveType: 'LIMIT_MAKER',
          abovePrice: 70_000,
          belowType: 'STOP_LOSS',
          belowStopPrice: 50_000,
        }),
      account: () => call('account'),
      myTrades: () => call('myTrades', symbol),
      tradeFee: () => call('tradeFee'),
      systemStatus: () => call('systemStatus'),
      accountStatus: () => call('accountStatus'),
      'stream ticker': () => new Promise((resolve) => client.websockets.prevDay(symbol, resolve)),
      withdraw: () => call('withdraw', 'BTC', 'none', 1),
    },
    close: async () => {
      for (const id of Object.keys(client.websockets.subscriptions())) client.websockets.terminate(id);
      client.terminateWsApi('userData');
    },
  };
}
