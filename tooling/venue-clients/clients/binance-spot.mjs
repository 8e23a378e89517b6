import { Spot, SpotWebsocketStreams } from '@binance/spot';

const symbol = 'BTCUSDT';

/**
 * The venue's official connector.
 *
 * @type {import('../client.mjs').OpenClient}
 */
export async function openBinanceSpot({ url, api_key: apiKey, api_secret: apiSecret }) {
  const socketUrl = url.replace('http', 'ws');
  const client = new Spot({
    configurationRestAPI: { apiKey, apiSecret, basePath: url, retries: 0 },
    configurationWebsocketAPI: { apiKey, apiSecret, wsURL: `${socketUrl}/ws-api/v3` },
    configurationWebsocketStreams: { wsURL: socketUrl },
  });
  const rest = /** @type {Record<string, (params: object) => Promise<{ data(): Promise<unknown> }>>} */ (
    /** @type {unknown} */ (client.restAPI)
  );
  /** @type {(name: string, params?: object) => Promise<unknown>} */
  const call = async (name, params = {}) =>
    (await /** @type {Function} */ (rest[name]).call(rest, params)).data();
  const limit = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 0.01, price: 50_000 };
  /** @type {Set<{ disconnect(): Promise<unknown> }>} */
  const connections = new Set();
  const socketApi = async () => {
    const connection = await client.websocketAPI.connect();
    connections.add(connection);
    return connection;
  };
  return {
    watchOrders: async (onOrder) => {
      const connection = await socketApi();
      const { stream } =
        /** @type {{ stream: { on(name: 'message', listener: (event: object) => void): void } }} */ (
          /** @type {unknown} */ (await connection.userDataStreamSubscribeSignature())
        );
      stream.on('message', (event) => {
        const { c, C, x, X } = /** @type {Record<string, string>} */ (event);
        if (x !== undefined) onOrder(String(C === '' || C === undefined ? c : C), String(X));
      });
    },
    placeLimit: ({ id, price, quantity }) =>
      call('newOrder', { ...limit, price, quantity, newClientOrderId: id }),
    placeMarket: ({ id, quantity }) =>
      call('newOrder', { symbol, side: 'BUY', type: 'MARKET', quantity, newClientOrderId: id }),
    statusOf: async (id) => {
      const { status } = /** @type {{ status: string }} */ (
        await call('getOrder', { symbol, origClientOrderId: id })
      );
      return status;
    },
    cancel: (id) => call('deleteOrder', { symbol, origClientOrderId: id }),
    methods: {
      exchangeInfo: () => call('exchangeInfo', { symbol }),
      time: () => call('time'),
      ping: () => call('ping'),
      depth: () => call('depth', { symbol, limit: 5 }),
      trades: () => call('getTrades', { symbol }),
      historicalTrades: () => call('historicalTrades', { symbol }),
      aggTrades: () => call('aggTrades', { symbol }),
      klines: () => call('klines', { symbol, interval: '1m' }),
      uiKlines: () => call('uiKlines', { symbol, interval: '1m' }),
      avgPrice: () => call('avgPrice', { symbol }),
      'ticker/24hr': () => call('ticker24hr', { symbol }),
      'ticker/price': () => call('tickerPrice', { symbol }),
      'ticker/bookTicker': () => call('tickerBookTicker', { symbol }),
      ticker: () => call('ticker', { symbol }),
      'ticker/tradingDay': () => call('tickerTradingDay', { symbol }),
      'order/test': () => call('orderTest', limit),
      'order/cancelReplace': async () => {
        await call('newOrder', { ...limit, newClientOrderId: 'replaced' });
        return call('orderCancelReplace', {
          ...limit,
          cancelReplaceMode: 'STOP_ON_FAILURE',
          cancelOrigClientOrderId: 'replaced',
        });
      },
      openOrders: () => call('getOpenOrders', { symbol }),
      cancelOpenOrders: async () => {
        await call('newOrder', limit);
        return call('deleteOpenOrders', { symbol });
      },
      allOrders: () => call('allOrders', { symbol }),
      'orderList/oco': () =>
        call('orderListOco', {
          symbol,
          side: 'SELL',
          quantity: 0.01,
          aboveType: 'LIMIT_MAKER',
          abovePrice: 70_000,
          belowType: 'STOP_LOSS',
          belowStopPrice: 50_000,
        }),
      openOrderList: () => call('openOrderList'),
      allOrderList: () => call('allOrderList'),
      account: () => call('getAccount'),
      myTrades: () => call('myTrades', { symbol }),
      'rateLimit/order': () => call('rateLimitOrder'),
      'account/commission': () => call('accountCommission', { symbol }),
      'stream depth': async () => {
        const connection = await client.websocketStreams.connect();
        connections.add(connection);
        return new Promise((resolve) =>
          connection
            .partialBookDepth({ symbol, levels: SpotWebsocketStreams.PartialBookDepthLevelsEnum.LEVELS_5 })
            .on('message', resolve),
        );
      },
      'ws order.place': async () => {
        const connection = await socketApi();
        return connection.orderPlace(
          /** @type {Parameters<typeof connection.orderPlace>[0]} */ (/** @type {unknown} */ (limit)),
        );
      },
      'order/amend/keepPriority': () => call('orderAmendKeepPriority', { symbol, orderId: 1, newQty: 0.005 }),
      myPreventedMatches: () => call('myPreventedMatches', { symbol }),
    },
    close: async () => {
      for (const connection of connections) await connection.disconnect();
    },
  };
}
