import { DerivativesTradingUsdsFutures } from '@binance/derivatives-trading-usds-futures';
import { balanceOf, clientOrderIdsOf, fillsOf, hear, marksOf, positionOf, rulesOf, SYMBOL } from './wire.mjs';

const symbol = SYMBOL;

/**
 * The venue's official connector for USD-M futures.
 *
 * @type {import('../../futures-client.mjs').OpenFuturesClient}
 */
export async function openBinanceUsdsFutures({ url, api_key: apiKey, api_secret: apiSecret }) {
  const client = new DerivativesTradingUsdsFutures({
    configurationRestAPI: { apiKey, apiSecret, basePath: url, retries: 0 },
    configurationWebsocketStreams: { wsURL: url.replace('http', 'ws') },
  });
  const rest = /** @type {Record<string, (params: object) => Promise<{ data(): Promise<unknown> }>>} */ (
    /** @type {unknown} */ (client.restAPI)
  );
  /** @type {(name: string, params?: object) => Promise<unknown>} */
  const call = async (name, params = {}) =>
    (await /** @type {Function} */ (rest[name]).call(rest, params)).data();
  /** @type {Set<{ disconnect(): Promise<unknown> }>} */
  const connections = new Set();
  const connect = async () => {
    const connection = await client.websocketStreams.connect();
    connections.add(connection);
    return connection;
  };
  /** @type {(name: string) => Promise<Record<string, string>>} */
  const firstOf = async (name) => {
    const connection = /** @type {Record<string, Function>} */ (/** @type {unknown} */ (await connect()));
    return new Promise((resolve) => connection[name]?.({ symbol }).on('message', resolve));
  };
  return {
    rules: async () => rulesOf(await call('exchangeInformation')),
    balance: async () => balanceOf(await call('futuresAccountBalanceV3')),
    setLeverage: async (leverage) =>
      Number(
        /** @type {{ leverage: number }} */ (await call('changeInitialLeverage', { symbol, leverage }))
          .leverage,
      ),
    placeMarket: ({ id, side, quantity, reduceOnly }) =>
      call('newOrder', {
        symbol,
        side,
        type: 'MARKET',
        quantity,
        newClientOrderId: id,
        ...(reduceOnly && { reduceOnly: 'true' }),
      }),
    placeLimit: ({ id, side, quantity, price }) =>
      call('newOrder', {
        symbol,
        side,
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity,
        price,
        newClientOrderId: id,
      }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (await call('queryOrder', { symbol, origClientOrderId: id })).status,
    cancel: (id) => call('cancelOrder', { symbol, origClientOrderId: id }),
    openOrders: async () => clientOrderIdsOf(await call('currentAllOpenOrders', { symbol })),
    fills: async () => fillsOf(await call('accountTradeList', { symbol })),
    position: async () => positionOf(await call('positionInformationV3', { symbol })),
    marks: async () => marksOf(await call('markPrice', { symbol })),
    watchAccount: async (listener) => {
      const { listenKey } = /** @type {{ listenKey: string }} */ (await call('startUserDataStream'));
      const connection = await connect();
      connection.userData(listenKey).on('message', (event) => hear(event, listener));
    },
    watchLastPrice: async () => Number((await firstOf('individualSymbolMiniTickerStream')).c),
    watchMarkPrice: async () => Number((await firstOf('markPriceStream')).p),
    close: async () => {
      for (const connection of connections) await connection.disconnect();
    },
  };
}
