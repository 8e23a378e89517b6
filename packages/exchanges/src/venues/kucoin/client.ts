/** Changes of ccxt's client of KuCoin. */
import errors from 'ccxt/js/src/base/errors';
import { multiply, subtract } from '../../ccxt/amounts.js';

interface KucoinMarket {
  readonly id: string;
  readonly contract?: boolean;
  readonly contractSize?: string;
}
/** A candle: opening time, open, high, low, close and volume. */
type Candle = readonly [number, string, string, string, string, string | undefined];
type Answer<T> = Promise<{ readonly data: T }>;
interface Contract {
  readonly priceChg?: unknown;
  readonly highPrice?: unknown;
  readonly lowPrice?: unknown;
  readonly volumeOf24h?: unknown;
  readonly turnoverOf24h?: unknown;
}
interface Pair {
  readonly minFunds?: string;
}

/** The members of ccxt's client that this file replaces or uses. */
interface KucoinClient {
  readonly exceptions: { readonly exact: Record<string, unknown> };
  market(symbol: string): KucoinMarket;
  parseNumber(value: unknown): string | undefined;
  parseOHLCV(candle: unknown, market?: KucoinMarket): Candle;
  fetchOHLCV(symbol: string, interval: string, since: number, limit: number, params?: object): unknown;
  fetchTicker(symbol: string): Promise<{ readonly last?: string }>;
  publicGetSymbols(params: object): Answer<readonly Pair[]>;
  futuresPublicGetContractsSymbol(params: object): Answer<Contract>;
}

/** Errors that ccxt does not know or reads as others. https://www.kucoin.com/docs-new/error-code/spot */
const ERRORS: Readonly<Record<string, unknown>> = {
  429000: errors.RateLimitExceeded,
  // After these, the order may exist.
  126038: errors.RequestTimeout,
  126039: errors.RequestTimeout,
  408000: errors.RequestTimeout,
  // These concern one market. Other orders of the account work.
  126005: errors.OperationRejected,
  400500: errors.OperationRejected,
};

export function prepareKucoin(created: object): void {
  const client = created as KucoinClient;
  Object.assign(client.exceptions.exact, ERRORS);
  correctMinimum(client);
  countInBase(client);
  completeTickers(client);
}

/** The smallest value of an order is another field than the one that ccxt uses. */
function correctMinimum(client: KucoinClient): void {
  const fetchPairs = client.publicGetSymbols.bind(client);
  client.publicGetSymbols = async (params) => {
    const answer = await fetchPairs(params);
    const data = answer.data.map((pair) =>
      pair.minFunds == null ? pair : { ...pair, quoteMinSize: pair.minFunds },
    );
    return { ...answer, data };
  };
}

/** Candles of futures count contracts. */
function countInBase(client: KucoinClient): void {
  const parse = client.parseOHLCV.bind(client);
  client.parseOHLCV = (candle, market) => {
    const [at, open, high, low, close, volume] = parse(candle, market);
    const size = market?.contract === true ? (market.contractSize ?? '1') : '1';
    return [at, open, high, low, close, volume === undefined ? undefined : multiply(volume, size)];
  };
  const fetchCandles = client.fetchOHLCV.bind(client);
  // The number of candles limits the range; the exchange knows no further parameter.
  client.fetchOHLCV = (symbol, interval, since, limit) => fetchCandles(symbol, interval, since, limit);
}

/** The ticker of futures has the last prices alone; the contract has those of the last 24 hours. */
function completeTickers(client: KucoinClient): void {
  const fetchTicker = client.fetchTicker.bind(client);
  client.fetchTicker = async (symbol) => {
    const ticker = await fetchTicker(symbol);
    const market = client.market(symbol);
    if (market.contract !== true) return ticker;
    const { data } = await client.futuresPublicGetContractsSymbol({ symbol: market.id });
    const change = client.parseNumber(data.priceChg);
    return {
      ...ticker,
      open: ticker.last === undefined || change === undefined ? undefined : subtract(ticker.last, change),
      high: client.parseNumber(data.highPrice),
      low: client.parseNumber(data.lowPrice),
      baseVolume: client.parseNumber(data.volumeOf24h),
      quoteVolume: client.parseNumber(data.turnoverOf24h),
    };
  };
}
