import { EventEmitter, once } from 'node:events';
import binanceApiNode from 'binance-api-node';
import { balanceOf, clientOrderIdsOf, fillsOf, marksOf, positionOf, rulesOf, SYMBOL } from './wire.mjs';

const symbol = SYMBOL;

/**
 * @typedef {{
 *   eventType?: string,
 *   clientOrderId?: string,
 *   orderStatus?: string,
 *   positions?: { symbol: string, positionAmount: string }[],
 * }} UserEvent
 * @typedef {{
 *   futuresUser(listener: (event: UserEvent) => void): Promise<() => void>,
 *   futuresCustomSubStream(stream: string, listener: (event: Record<string, string>) => void): () => void,
 *   futuresMarkPrice(options: object, listener: (event: Record<string, string>) => void): () => void,
 * }} Sockets
 */

// The CommonJS package is imported as a whole; its function is a property.
const { default: open } = /** @type {{ default: (options: object) => Record<string, unknown> }} */ (
  /** @type {unknown} */ (binanceApiNode)
);

/**
 * The package `binance-api-node`.
 *
 * @type {import('../../futures-client.mjs').OpenFuturesClient}
 */
export async function openBinanceApiNode({ url, api_key: apiKey, api_secret: apiSecret }) {
  const socketUrl = url.replace('http', 'ws');
  const client = open({
    apiKey,
    apiSecret,
    httpFutures: url,
    wsFutures: `${socketUrl}/market/ws`,
    wsFuturesPublic: `${socketUrl}/public/ws`,
    wsFuturesPrivate: `${socketUrl}/private/ws`,
    emitSocketOpens: true,
  });
  /** @type {(name: string, params?: object) => Promise<unknown>} */
  const call = (name, params) => /** @type {Function} */ (client[name]).call(client, params);
  const { ws } = /** @type {{ ws: Sockets }} */ (/** @type {unknown} */ (client));
  /** @type {(() => unknown)[]} */
  const closers = [];
  /** @type {(open: (listener: (event: Record<string, string>) => void) => () => void) => Promise<Record<string, string>>} */
  const firstOf = (open) => new Promise((resolve) => closers.push(open(resolve)));
  return {
    rules: async () => rulesOf(await call('futuresExchangeInfo')),
    balance: async () => balanceOf(await call('futuresAccountBalance')),
    setLeverage: async (leverage) =>
      Number(
        /** @type {{ leverage: number }} */ (await call('futuresLeverage', { symbol, leverage })).leverage,
      ),
    placeMarket: ({ id, side, quantity, reduceOnly }) =>
      call('futuresOrder', {
        symbol,
        side,
        type: 'MARKET',
        quantity: String(quantity),
        newClientOrderId: id,
        ...(reduceOnly && { reduceOnly: 'true' }),
      }),
    placeLimit: ({ id, side, quantity, price }) =>
      call('futuresOrder', {
        symbol,
        side,
        type: 'LIMIT',
        quantity: String(quantity),
        price: String(price),
        newClientOrderId: id,
      }),
    statusOf: async (id) =>
      /** @type {{ status: string }} */ (await call('futuresGetOrder', { symbol, origClientOrderId: id }))
        .status,
    cancel: (id) => call('futuresCancelOrder', { symbol, origClientOrderId: id }),
    openOrders: async () => clientOrderIdsOf(await call('futuresOpenOrders', { symbol })),
    fills: async () => fillsOf(await call('futuresUserTrades', { symbol })),
    position: async () => positionOf(await call('futuresPositionRisk', { symbol })),
    marks: async () => marksOf(await call('futuresMarkPrice', { symbol })),
    watchAccount: async ({ onOrder, onPosition }) => {
      const stream = new EventEmitter();
      const isOpen = once(stream, 'open');
      const hear = (/** @type {UserEvent} */ { eventType, clientOrderId, orderStatus, positions = [] }) => {
        if (eventType === 'open') stream.emit('open');
        if (eventType === 'ORDER_TRADE_UPDATE') onOrder(String(clientOrderId), String(orderStatus));
        for (const { symbol: changed, positionAmount } of positions)
          if (changed === symbol) onPosition(Number(positionAmount));
      };
      closers.push(await ws.futuresUser(hear));
      await isOpen;
    },
    // The client has no method for the mini tickers of futures, but one for streams by their names.
    watchLastPrice: async () =>
      Number((await firstOf((listener) => ws.futuresCustomSubStream('btcusdt@miniTicker', listener))).c),
    watchMarkPrice: async () =>
      Number((await firstOf((listener) => ws.futuresMarkPrice({ symbol }, listener))).markPrice),
    close: async () => {
      for (const close of closers) await close();
    },
  };
}
