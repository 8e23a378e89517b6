import { once } from 'node:events';
import { MainClient, WebsocketClient } from 'binance';

const symbol = 'BTCUSDT';

/**
 * The package `binance` (github.com/tiagosiebler/binance).
 *
 * @type {import('../client.mjs').OpenClient}
 */
export async function openBinance({ url, api_key, api_secret }) {
  const client = new MainClient({ api_key, api_secret, baseUrl: url, disableTimeSync: true });
  const socketUrl = url.replace('http', 'ws');
  const silent = () => undefined;
  const logger = { trace: silent, info: silent, error: silent };
  /** @type {Set<WebsocketClient>} */
  const sockets = new Set();
  const openSocket = () => {
    const socket = new WebsocketClient(
      { api_key, api_secret, beautify: false, wsUrl: socketUrl, restOptions: { baseUrl: url } },
      logger,
    );
    socket.on('exception', silent);
    sockets.add(socket);
    return socket;
  };
  const all = /** @type {Record<string, (params?: unknown) => Promise<unknown>>} */ (
    /** @type {unknown} */ (client)
  );
  /** @type {(name: string, params?: unknown) => Promise<unknown>} */
  const call = (name, params) => /** @type {Function} */ (all[name]).call(client, params);
  // Without the prefix of its own client order ids, the client prints a warning with each order.
  const prefix = String(client.getOrderIdPrefix());
  /** @param {string} id */
  const longId = (id) => `${prefix}${id}`;
  /** @param {string} id */
  const shortId = (id) => id.slice(prefix.length);
  // The client adds to the object that it is given.
  const limit = () => ({
    symbol,
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: 0.01,
    price: 50_000,
  });
  return {
    watchOrders: async (onOrder) => {
      const socket = openSocket();
      socket.on('message', (message) => {
        const { c, C, x, X } = /** @type {Record<string, string>} */ (/** @type {unknown} */ (message));
        if (x !== undefined) onOrder(shortId(String(C === '' || C === undefined ? c : C)), String(X));
      });
      const isOpen = once(socket, 'open');
      await socket.subscribeSpotUserDataStream('main');
      await isOpen;
    },
    placeLimit: ({ id, price, quantity }) =>
      call('submitNewOrder', { ...limit(), price, quantity, newClientOrderId: longId(id) }),
    placeMarket: ({ id, quantity }) =>
      call('submitNewOrder', { symbol, side: 'BUY', type: 'MARKET', quantity, newClientOrderId: longId(id) }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (await call('getOrder', { symbol, origClientOrderId: longId(id) }))
        .status,
    cancel: (id) => call('cancelOrder', { symbol, origClientOrderId: longId(id) }),
    methods: {
      exchangeInfo: () => call('getExchangeInfo', { symbol }),
      // `getServerTime` ignores the URL of the client.
      time: () => client.get('api/v3/time'),
      ping: () => call('testConnectivity'),
      depth: () => call('getOrderBook', { symbol }),
      trades: () => call('getRecentTrades', { symbol }),
      historicalTrades: () => call('getHistoricalTrades', { symbol }),
      aggTrades: () => call('getAggregateTrades', { symbol }),
      klines: () => call('getKlines', { symbol, interval: '1m' }),
      uiKlines: () => call('getUIKlines', { symbol, interval: '1m' }),
      avgPrice: () => call('getAvgPrice', { symbol }),
      'ticker/24hr': () => call('get24hrChangeStatistics', { symbol }),
      'ticker/price': () => call('getSymbolPriceTicker', { symbol }),
      'ticker/bookTicker': () => call('getSymbolOrderBookTicker', { symbol }),
      ticker: () => call('getRollingWindowTicker', { symbol }),
      'ticker/tradingDay': () => call('getTradingDayTicker', { symbol }),
      'order/test': () => call('testNewOrder', limit()),
      'order/cancelReplace': async () => {
        const id = String(await call('generateNewOrderId', 'spot'));
        await call('submitNewOrder', { ...limit(), newClientOrderId: id });
        return call('replaceOrder', {
          ...limit(),
          cancelReplaceMode: 'STOP_ON_FAILURE',
          cancelOrigClientOrderId: id,
        });
      },
      openOrders: () => call('getOpenOrders', { symbol }),
      cancelOpenOrders: async () => {
        await call('submitNewOrder', limit());
        return call('cancelAllSymbolOrders', { symbol });
      },
      allOrders: () => call('getAllOrders', { symbol }),
      'orderList/oco': () =>
        call('submitNewOrderList', {
          symbol,
          side: 'SELL',
          quantity: 0.01,
          aboveType: 'LIMIT_MAKER',
          abovePrice: 70_000,
          belowType: 'STOP_LOSS',
          belowStopPrice: 50_000,
        }),
      'order/oco': () =>
        call('submitNewOCO', { symbol, side: 'SELL', quantity: 0.01, price: 70_000, stopPrice: 50_000 }),
      openOrderList: () => call('getAllOpenOCO'),
      allOrderList: () => call('getAllOCO'),
      account: () => call('getAccountInformation'),
      myTrades: () => call('getAccountTradeList', { symbol }),
      'rateLimit/order': () => call('getOrderRateLimit'),
      'account/commission': () => call('getCommissionRates', { symbol }),
      tradeFee: () => call('getTradeFee', { symbol }),
      systemStatus: () => call('getSystemStatus'),
      accountStatus: () => call('getAccountStatus'),
      tradingStatus: () => call('getApiTradingStatus'),
      walletCoins: () => call('getBalances'),
      keyRights: () => call('getApiKeyPermissions'),
      listenKey: () => call('getSpotUserDataListenKey'),
      'stream depth': () =>
        new Promise((resolve) => {
          const socket = openSocket();
          socket.on('message', resolve);
          void socket.subscribe('btcusdt@depth5', 'main');
        }),
      'order/amend/keepPriority': () => call('amendOrderKeepPriority', { symbol, orderId: 1, newQty: 0.005 }),
      withdraw: () => call('withdraw', { coin: 'BTC', address: 'none', amount: 1 }),
    },
    close: async () => {
      for (const socket of sockets) socket.closeAll(true);
    },
  };
}
