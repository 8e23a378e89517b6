import { setTimeout as sleep } from 'node:timers/promises';
import Binance from 'node-binance-api';
import { balanceOf, clientOrderIdsOf, fillsOf, marksOf, positionOf, rulesOf, SYMBOL } from './wire.mjs';

/**
 * @typedef {{ readonly order: { readonly clientOrderId: string, readonly orderStatus: string } }} OrderUpdate
 * @typedef {{
 *   readonly updateData: {
 *     readonly positions: readonly { readonly symbol: string, readonly positionAmount: string }[],
 *   },
 * }} AccountUpdate
 */

/**
 * The package `node-binance-api`.
 *
 * @type {import('../../futures-client.mjs').OpenFuturesClient}
 */
export async function openNodeBinanceApi({ url, api_key: APIKEY, api_secret: APISECRET }) {
  const socketUrl = url.replace('http', 'ws');
  const client = new Binance({
    APIKEY,
    APISECRET,
    reconnect: false,
    log: () => undefined,
    urls: { base: `${url}/api/`, fapi: `${url}/fapi/` },
  });
  Object.assign(client, {
    getFStreamSingleUrl: (/** @type {string} */ category) => `${socketUrl}/${category}/ws/`,
  });
  const all = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (client));
  /** @type {(name: string, ...args: unknown[]) => Promise<unknown>} */
  const call = (name, ...args) => /** @type {Function} */ (all[name]).call(client, ...args);
  const { websockets } = client;
  const connections = () =>
    Object.keys(/** @type {Record<string, unknown>} */ (websockets.futuresSubcriptions()));
  return {
    notes: [
      {
        checks: ['user stream: orders', 'user stream: account', 'stream: last price', 'stream: mark price'],
        text: 'ignores its options `urls.fstream` and `urls.fstreamSingle`: it has the host of the venue in the URL of each futures stream. Its function `getFStreamSingleUrl`, which returns that URL, is replaced.',
      },
    ],
    rules: async () => rulesOf(await call('futuresExchangeInfo')),
    balance: async () => balanceOf(await call('futuresBalance')),
    setLeverage: async (leverage) =>
      Number(/** @type {{ leverage: number }} */ (await call('futuresLeverage', SYMBOL, leverage)).leverage),
    placeMarket: ({ id, side, quantity, reduceOnly }) =>
      call(side === 'BUY' ? 'futuresMarketBuy' : 'futuresMarketSell', SYMBOL, quantity, {
        newClientOrderId: id,
        ...(reduceOnly && { reduceOnly: 'true' }),
      }),
    placeLimit: ({ id, side, quantity, price }) =>
      call('futuresLimitOrder', side, SYMBOL, quantity, price, { newClientOrderId: id, timeInForce: 'GTC' }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (await call('futuresOrderStatus', SYMBOL, { origClientOrderId: id }))
        .status,
    cancel: (id) => call('futuresCancel', SYMBOL, undefined, { origClientOrderId: id }),
    openOrders: async () => clientOrderIdsOf(await call('futuresOpenOrders', SYMBOL)),
    fills: async () => fillsOf(await call('futuresUserTrades', SYMBOL)),
    position: async () => positionOf(await call('futuresPositionRisk', { symbol: SYMBOL })),
    marks: async () => marksOf(await call('futuresMarkPrice', SYMBOL)),
    watchAccount: async ({ onOrder, onPosition }) => {
      /** @type {(subscribed: (listenKey: string) => void) => void} */
      const subscribe = (subscribed) =>
        websockets.userFutureData(
          () => undefined,
          () => undefined,
          (/** @type {AccountUpdate} */ { updateData }) => {
            for (const { symbol, positionAmount } of updateData.positions)
              if (symbol === SYMBOL) onPosition(Number(positionAmount));
          },
          (/** @type {OrderUpdate} */ { order }) => onOrder(order.clientOrderId, order.orderStatus),
          subscribed,
        );
      const listenKey = await new Promise(subscribe);
      // It calls back before the connection is open, and lists only open connections.
      while (!connections().some((endpoint) => endpoint.includes(listenKey))) await sleep(5);
    },
    watchLastPrice: async () => {
      const { close } = await new Promise((resolve) => websockets.futuresMiniTicker(SYMBOL, resolve));
      return Number(close);
    },
    watchMarkPrice: async () => {
      const { markPrice } = await new Promise((resolve) => websockets.futuresMarkPrice(SYMBOL, resolve));
      return Number(markPrice);
    },
    close: async () => {
      for (const endpoint of connections()) websockets.futuresTerminate(endpoint);
    },
  };
}
