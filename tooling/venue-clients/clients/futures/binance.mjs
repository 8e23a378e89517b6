import { once } from 'node:events';
import { USDMClient, WebsocketClient } from 'binance';
import { balanceOf, clientOrderIdsOf, fillsOf, hear, marksOf, positionOf, rulesOf, SYMBOL } from './wire.mjs';

const symbol = SYMBOL;

/**
 * The package `binance` (github.com/tiagosiebler/binance).
 *
 * @type {import('../../futures-client.mjs').OpenFuturesClient}
 */
export async function openBinance({ url, api_key, api_secret }) {
  const client = new USDMClient({ api_key, api_secret, baseUrl: url, disableTimeSync: true });
  // Without the prefix of its own client order ids, the client prints a warning with each order.
  const prefix = String(client.getOrderIdPrefix());
  const withoutPrefix = (/** @type {string} */ id) => id.slice(prefix.length);
  const silent = () => undefined;
  const logger = { trace: silent, info: silent, error: silent };
  /** @type {Set<WebsocketClient>} */
  const sockets = new Set();
  const openSocket = () => {
    const socket = new WebsocketClient(
      {
        api_key,
        api_secret,
        beautify: false,
        wsUrl: url.replace('http', 'ws'),
        restOptions: { baseUrl: url },
      },
      logger,
    );
    socket.on('exception', silent);
    sockets.add(socket);
    return socket;
  };
  const all = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (client));
  /** @type {(name: string, params?: object) => Promise<unknown>} */
  const call = (name, params) => /** @type {Function} */ (all[name]).call(client, params);
  /** @type {(topic: string, type: string) => Promise<Record<string, string>>} */
  const firstOf = (topic, type) =>
    new Promise((resolve) => {
      const socket = openSocket();
      socket.on('message', (message) => {
        const event = payloadOf(message);
        if (event.e === type) resolve(/** @type {Record<string, string>} */ (event));
      });
      void socket.subscribe(`btcusdt@${topic}`, 'usdm');
    });
  return {
    rules: async () => rulesOf(await call('getExchangeInfo')),
    balance: async () => balanceOf(await call('getBalanceV3')),
    setLeverage: async (leverage) =>
      Number(/** @type {{ leverage: number }} */ (await call('setLeverage', { symbol, leverage })).leverage),
    placeMarket: ({ id, side, quantity, reduceOnly }) =>
      call('submitNewOrder', {
        symbol,
        side,
        type: 'MARKET',
        quantity,
        newClientOrderId: `${prefix}${id}`,
        ...(reduceOnly && { reduceOnly: 'true' }),
      }),
    placeLimit: ({ id, side, quantity, price }) =>
      call('submitNewOrder', {
        symbol,
        side,
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity,
        price,
        newClientOrderId: `${prefix}${id}`,
      }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (
        await call('getOrder', { symbol, origClientOrderId: `${prefix}${id}` })
      ).status,
    cancel: (id) => call('cancelOrder', { symbol, origClientOrderId: `${prefix}${id}` }),
    openOrders: async () => clientOrderIdsOf(await call('getAllOpenOrders', { symbol })).map(withoutPrefix),
    fills: async () => fillsOf(await call('getAccountTrades', { symbol })),
    position: async () => positionOf(await call('getPositionsV3', { symbol })),
    marks: async () => marksOf(await call('getMarkPrice', { symbol })),
    watchAccount: async ({ onOrder, onPosition }) => {
      const socket = openSocket();
      const listener = {
        onOrder: (/** @type {string} */ id, /** @type {string} */ status) =>
          onOrder(withoutPrefix(id), status),
        onPosition,
      };
      socket.on('message', (message) => hear(payloadOf(message), listener));
      const isOpen = once(socket, 'open');
      await socket.subscribeUsdFuturesUserDataStream();
      await isOpen;
    },
    watchLastPrice: async () => Number((await firstOf('miniTicker', '24hrMiniTicker')).c),
    watchMarkPrice: async () => Number((await firstOf('markPrice', 'markPriceUpdate')).p),
    close: async () => {
      for (const socket of sockets) socket.closeAll(true);
    },
  };
}

/**
 * Returns the event in a message, which combined streams wrap.
 *
 * @param {unknown} message
 */
function payloadOf(message) {
  const { data = message } = /** @type {{ data?: unknown }} */ (message);
  return /** @type {Record<string, unknown>} */ (data);
}
