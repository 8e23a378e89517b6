/** What Coinbase needs of ccxt's client beyond what ccxt does. */

import errors from 'ccxt/js/src/base/errors';
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { createToken, wasOutdated } from './tokens.js';

interface CoinbaseClient extends CcxtClient {
  fetchMarkets(): Promise<readonly unknown[]>;
  fetchTime(): Promise<number>;
  createAuthToken(seconds: number, method: string, url: string): string;
  parseSpotMarket(product: unknown, feeTier: object): unknown;
}

const products = z.object({ products: z.array(z.unknown()) });
const time = z.object({ epochMillis: z.coerce.number() });

export function prepareCoinbase(created: object): void {
  const client = created as CoinbaseClient;
  client.createAuthToken = (_seconds, method, url) => createToken(client, { method, url });
  client.fetchTime = async () =>
    parseResponse(time, await callEndpoint(client, 'v3PublicGetBrokerageTime', {})).epochMillis;
  // ccxt reads futures as well, and for accounts their fees.
  client.fetchMarkets = async () => {
    await client.loadTimeDifference();
    const params = { product_type: 'SPOT' };
    const response = await callEndpoint(client, 'v3PublicGetBrokerageMarketProducts', params);
    return parseResponse(products, response).products.map((each) => client.parseSpotMarket(each, {}));
  };
  client.fetchTicker = (symbol) => fetchTicker(client, symbol);
  const handleErrors = client.handleErrors.bind(client);
  client.handleErrors = (...response) => {
    const [status, , , , headers, , body, requestHeaders] = response;
    if (status === 401) checkTime(headers, requestHeaders);
    // The result of a new order has its error beside it, which ccxt would read from one of its fields alone.
    const isResult = typeof body === 'object' && body !== null && 'success' in body;
    return isResult ? undefined : handleErrors(...response);
  };
}

const dated = z.object({ date: z.string() });
const authorized = z.object({ Authorization: z.string() });

/** @throws {errors.InvalidNonce} if a request was refused because its token was not valid at that time */
function checkTime(headers: unknown, requestHeaders: unknown): void {
  const { date } = dated.safeParse(headers).data ?? {};
  const { Authorization: token } = authorized.safeParse(requestHeaders).data ?? {};
  if (date !== undefined && token !== undefined && wasOutdated(token, date))
    throw new errors.InvalidNonce('an outdated token');
}

const optionalPrice = z.union([exactDecimal, z.literal('').transform(() => '0')]);
const product = z.object({
  price: optionalPrice,
  volume_24h: optionalPrice,
  approximate_quote_24h_volume: optionalPrice.optional(),
});
const best = z.object({
  pricebook: z.object({
    bids: z.array(z.object({ price: exactDecimal })),
    asks: z.array(z.object({ price: exactDecimal })),
  }),
});
const candles = z.object({
  candles: z.array(
    z.object({ start: z.coerce.number(), open: exactDecimal, high: exactDecimal, low: exactDecimal }),
  ),
});
const DAY_S = 86_400;

/** Returns the state of a market now, and its first, highest and lowest prices in the candles of 24 hours. */
async function fetchTicker(client: CcxtClient, symbol: string): Promise<object> {
  const { id } = client.market(symbol);
  const now = Math.floor(Date.now() / 1_000);
  const range = { start: String(now - DAY_S), end: String(now), granularity: 'ONE_HOUR' };
  const [state, book, hours] = await Promise.all([
    callEndpoint(client, 'v3PublicGetBrokerageMarketProductsProductId', { product_id: id }),
    callEndpoint(client, 'v3PublicGetBrokerageMarketProductBook', { product_id: id, limit: 1 }),
    callEndpoint(client, 'v3PublicGetBrokerageMarketProductsProductIdCandles', { product_id: id, ...range }),
  ]);
  const { price, volume_24h, approximate_quote_24h_volume } = parseResponse(product, state);
  const { bids, asks } = parseResponse(best, book).pricebook;
  const sorted = [...parseResponse(candles, hours).candles].sort((a, b) => a.start - b.start);
  return {
    last: price,
    bid: bids[0]?.price,
    ask: asks[0]?.price,
    open: sorted[0]?.open,
    high: extreme(
      sorted.map(({ high }) => high),
      Precise.stringGt,
    ),
    low: extreme(
      sorted.map(({ low }) => low),
      Precise.stringLt,
    ),
    baseVolume: volume_24h,
    quoteVolume: approximate_quote_24h_volume,
  };
}

function extreme(
  values: readonly string[],
  isBetter: (value: string, other: string) => boolean | undefined,
): string | undefined {
  return values.reduce<string | undefined>(
    (found, value) => (found === undefined || isBetter(value, found) === true ? value : found),
    undefined,
  );
}
