/** Changes of ccxt's client of Gate. */
import errors from 'ccxt/js/src/base/errors';
import { z } from 'zod';
import { multiply } from '../../ccxt/amounts.js';

/** How long after its signing an order may arrive at the exchange, in milliseconds. */
const ORDER_EXPIRY_MS = 5_000;
const DAY_MS = 86_400_000;
const CANDLE_MS = 300_000;

interface GateMarket {
  readonly contract?: boolean;
  readonly contractSize?: string;
}
interface SignedRequest {
  readonly headers?: Readonly<Record<string, string>>;
}
/** A candle: opening time, open, high, low, close and volume. */
type Candle = readonly [number, string, string, string, string, string | undefined];

/** A market of futures, with the parts that this file reads. */
interface FuturesMarket {
  readonly precision: { readonly amount?: string; readonly price?: string };
}

/** The members of ccxt's client that this file replaces. */
interface GateClient {
  readonly exceptions: { readonly exact: Record<string, unknown> };
  nonce(): number;
  /** @param api `public` or `private`, and the part of the API */
  sign(path: string, api: readonly string[], method: string, ...rest: readonly unknown[]): SignedRequest;
  parseContractMarket(contract: unknown, settle: string): FuturesMarket | null;
  parseOHLCV(candle: unknown, market?: GateMarket): Candle;
  fetchTicker(symbol: string): Promise<object>;
  fetchOHLCV(symbol: string, interval: string, since: number, limit: number): Promise<readonly Candle[]>;
  publicMarginGetCurrencyPairs(): Promise<readonly unknown[]>;
}

export function prepareGate(created: object): void {
  const client = created as GateClient;
  // The exchange checked only the timestamp.
  client.exceptions.exact.REQUEST_EXPIRED = errors.InvalidNonce;
  // Isolated margin is not offered; its list of pairs is not needed.
  client.publicMarginGetCurrencyPairs = async () => [];
  addHeaders(client);
  readDecimalSteps(client);
  countInBase(client);
  completeTickers(client);
}

/** Without this header, the exchange truncates the sizes of futures to whole contracts, in streams too. */
export const DECIMAL_SIZES = { 'X-Gate-Size-Decimal': '1' } as const;

function addHeaders(client: GateClient): void {
  const sign = client.sign.bind(client);
  client.sign = (path, api, method, ...rest) => {
    const signed = sign(path, api, method, ...rest);
    const isOrder = method === 'POST' && path.endsWith('orders');
    const headers = {
      ...signed.headers,
      ...(api[1] === 'futures' && DECIMAL_SIZES),
      // The exchange rejects an order that arrives after this time.
      ...(isOrder && { 'x-gate-exptime': String(client.nonce() + ORDER_EXPIRY_MS) }),
    };
    return { ...signed, headers };
  };
}

/** The smallest size is a string, because all calls of futures have the header above. */
const decimalContract = z.object({
  enable_decimal: z.literal(true),
  order_size_min: z.string().regex(/^0\.0*[1-9]\d*$/),
});

/**
 * ccxt declares whole contracts as the step of every market. Gate documents `enable_decimal` but no step; every multiple of the
 * smallest size is accepted.
 */
function readDecimalSteps(client: GateClient): void {
  const parse = client.parseContractMarket.bind(client);
  client.parseContractMarket = (contract, settle) => {
    const market = parse(contract, settle);
    const { data } = decimalContract.safeParse(contract);
    if (market === null || data === undefined) return market;
    return { ...market, precision: { ...market.precision, amount: data.order_size_min } };
  };
}

/** Candles of futures count contracts. */
function countInBase(client: GateClient): void {
  const parse = client.parseOHLCV.bind(client);
  client.parseOHLCV = (candle, market) => {
    const [at, open, high, low, close, volume] = parse(candle, market);
    const size = market?.contract === true ? (market.contractSize ?? '1') : '1';
    return [at, open, high, low, close, volume === undefined ? undefined : multiply(volume, size)];
  };
}

/** The exchange's ticker has the change in percent instead of the first price, which a candle has exactly. */
function completeTickers(client: GateClient): void {
  const fetchTicker = client.fetchTicker.bind(client);
  client.fetchTicker = async (symbol) => {
    const ticker = await fetchTicker(symbol);
    const since = client.nonce() - DAY_MS;
    const candles = await client.fetchOHLCV(symbol, '5m', since, DAY_MS / CANDLE_MS + 1);
    return { ...ticker, open: candles[0]?.[1] };
  };
}
