import { setTimeout as sleep } from 'node:timers/promises';
import ccxt from 'ccxt';
import { rewriteUrls } from '../ccxt.mjs';

const SYMBOL = 'BTC/USDT:USDT';
/** The venue's names of the states of an order. @type {Readonly<Record<string, string>>} */
const STATUSES = { open: 'NEW', closed: 'FILLED', canceled: 'CANCELED' };

/**
 * ccxt and ccxt.pro, of which nothing but the URLs is replaced.
 *
 * @type {import('../../futures-client.mjs').OpenFuturesClient}
 */
export async function openCcxt({ url, api_key, api_secret }) {
  const exchange = new ccxt.pro.binance({ apiKey: api_key, secret: api_secret });
  rewriteUrls(/** @type {Record<string, unknown>} */ (exchange.urls.api), url);
  await exchange.loadHttpProxyAgent();
  await exchange.loadMarkets();
  /** Calls a watching method again after each result, until the connections are closed. */
  const watch = (/** @type {() => Promise<void>} */ next) =>
    void (async () => {
      for (;;) await next();
    })().catch(() => undefined);
  return {
    errorNames: {
      [-2011]: 'OrderNotFound',
      [-2013]: 'OrderNotFound',
      [-2019]: 'ExchangeError',
      [-2022]: 'ExchangeError',
    },
    notes: [
      {
        checks: ['reduce-only: refused', 'errors: codes'],
        text: 'translates the codes of one product, such as -2019 and -2022, only if the URL has the host of the venue. At another URL they are an `ExchangeError` with the code in its message.',
      },
    ],
    rules: async () => {
      const { precision, limits } = exchange.market(SYMBOL);
      return {
        priceTick: Number(precision.price),
        amountStep: Number(precision.amount),
        minNotional: Number(limits.cost?.min),
      };
    },
    balance: async () => Number((await exchange.fetchBalance({ type: 'future' })).USDT?.total),
    setLeverage: async (leverage) => Number((await exchange.setLeverage(leverage, SYMBOL)).leverage),
    placeMarket: ({ id, side, quantity, reduceOnly }) =>
      exchange.createOrder(SYMBOL, 'market', side === 'BUY' ? 'buy' : 'sell', quantity, undefined, {
        clientOrderId: id,
        ...(reduceOnly && { reduceOnly }),
      }),
    placeLimit: ({ id, side, quantity, price }) =>
      exchange.createOrder(SYMBOL, 'limit', side === 'BUY' ? 'buy' : 'sell', quantity, price, {
        clientOrderId: id,
      }),
    statusOf: async (id) => {
      const { status } = await exchange.fetchOrder('', SYMBOL, { origClientOrderId: id });
      return STATUSES[String(status)] ?? String(status);
    },
    cancel: (id) => exchange.cancelOrder('', SYMBOL, { origClientOrderId: id }),
    openOrders: async () =>
      (await exchange.fetchOpenOrders(SYMBOL)).map(({ clientOrderId }) => String(clientOrderId)),
    fills: async () =>
      (await exchange.fetchMyTrades(SYMBOL)).map(({ price, amount, fee }) => ({
        price: Number(price),
        quantity: Number(amount),
        fee: Number(fee?.cost),
      })),
    position: async () => {
      const [position] = await exchange.fetchPositions([SYMBOL]);
      return { amount: signedAmount(position), entryPrice: Number(position?.entryPrice ?? 0) };
    },
    marks: async () => {
      const { markPrice, fundingRate } = await exchange.fetchFundingRate(SYMBOL);
      return { markPrice: Number(markPrice), fundingRate: Number(fundingRate) };
    },
    watchAccount: async ({ onOrder, onPosition }) => {
      watch(async () => {
        for (const { clientOrderId, status } of await exchange.watchOrders(SYMBOL))
          onOrder(String(clientOrderId), STATUSES[String(status)] ?? String(status));
      });
      watch(async () => {
        for (const position of await exchange.watchPositions([SYMBOL])) onPosition(signedAmount(position));
      });
      const clients = () =>
        /** @type {{ url: string, isOpen(): boolean }[]} */ (Object.values(exchange.clients));
      while (!clients().some((client) => client.url.includes('listenKey') && client.isOpen())) await sleep(5);
    },
    watchLastPrice: async () => Number((await exchange.watchTicker(SYMBOL, { name: 'miniTicker' })).last),
    watchMarkPrice: async () => Number((await exchange.watchMarkPrice(SYMBOL)).markPrice),
    close: () => exchange.close(),
  };
}

/** @param {{ side?: string, contracts?: number } | undefined} position */
function signedAmount({ side, contracts = 0 } = {}) {
  return side === 'short' ? -contracts : contracts;
}
