/** What Kraken's futures need of ccxt's client beyond what ccxt does. */
import errors from 'ccxt/js/src/base/errors';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import { addDeadlines } from './deadline.js';

type Params = Readonly<Record<string, unknown>>;

interface KrakenFuturesClient extends CcxtClient {
  readonly exceptions: { readonly exact: Record<string, unknown> };
  calculateRateLimiterCost(api: string, method: string, path: string, params: Params, config: object): number;
  parseTicker(ticker: Params, market?: unknown): object;
  request(path: string, api: string, method: string, params: Params): Promise<unknown>;
  fetchOHLCV(
    symbol: string,
    timeframe: string,
    since?: number,
    limit?: number,
    params?: Params,
  ): Promise<unknown>;
}

/** The cost of each call: https://docs.kraken.com/exchange/guides/futures/ratelimits */
const COSTS: Readonly<Record<string, number>> = {
  sendorder: 10,
  cancelorder: 10,
  'PUT leveragepreferences': 10,
  leveragepreferences: 2,
  accounts: 2,
  openpositions: 2,
  openorders: 2,
  fills: 2,
};
/** The cost of fills before a time. */
const OLDER_FILLS_COST = 25;
/**
 * The history has a limit of its own: 100 calls at once, then ten a minute. The cost lets that many through while
 * nothing else is called.
 */
const HISTORY_COST = 30;

export function prepareFutures(created: object): void {
  const client = created as KrakenFuturesClient;
  Object.assign(client.exceptions.exact, {
    accountInactive: errors.AccountNotEnabled,
    notFound: errors.OrderNotFound,
  });
  addDeadlines(client, 'sendorder', 'processBefore');
  client.calculateRateLimiterCost = (api, method, path, params) => {
    if (api === 'history') return HISTORY_COST;
    if ('lastFillTime' in params) return OLDER_FILLS_COST;
    return COSTS[`${method} ${path}`] ?? COSTS[path] ?? 1;
  };
  const parseTicker = client.parseTicker.bind(client);
  client.parseTicker = (ticker, market) => ({
    ...parseTicker(ticker, market),
    high: client.parseNumber(ticker.high24h),
    low: client.parseNumber(ticker.low24h),
    quoteVolume: client.parseNumber(ticker.volumeQuote),
  });
  const fetchOHLCV = client.fetchOHLCV.bind(client);
  // ccxt computes the end of the range from the number of candles.
  client.fetchOHLCV = (symbol, timeframe, since, limit) => fetchOHLCV(symbol, timeframe, since, limit, {});
}

/** Calls an endpoint that ccxt knows only with another method. */
export function postFutures(ccxt: CcxtClient, path: string, params: Params): Promise<unknown> {
  return (ccxt as KrakenFuturesClient).request(path, 'private', 'POST', params);
}
