/** Changes of ccxt's client of BingX. */
import type { CandleInterval } from '@trading-automation/contracts';
import errors from 'ccxt/js/src/base/errors';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import { identifier } from './fields.js';

interface BingxClient extends CcxtClient {
  readonly exceptions: { readonly exact: Record<string, unknown> };
  readonly timeframes: Readonly<Record<string, string>>;
  fetchMarkets(): Promise<readonly unknown[]>;
  fetchSpotMarkets(params: object): Promise<readonly object[]>;
}

/** Error codes of the exchange's pages that ccxt does not know, or reads as those of contracts. */
const CODES: Readonly<Record<string, unknown>> = {
  '418': errors.RateLimitExceeded,
  '100004': errors.PermissionDenied,
  '100204': errors.BadSymbol,
  '100410': errors.RateLimitExceeded,
  '100413': errors.AuthenticationError,
  '100440': errors.InvalidOrder,
  '100441': errors.AccountSuspended,
  '100490': errors.MarketClosed,
  '101215': errors.OrderImmediatelyFillable,
  '101402': errors.OperationRejected,
};

/** The exchange uses these codes for several errors. Only the texts distinguish them. */
const TEXTS: readonly {
  readonly codes: readonly string[];
  readonly text: RegExp;
  readonly error: new (message: string) => Error;
}[] = [
  { codes: ['100421'], text: /timestamp/i, error: errors.InvalidNonce },
  {
    // 100404 also means that the exchange has no such address, and 100500 that the outcome is not known.
    codes: ['100400', '100404', '100421'],
    text: /order (?:does )?not exist|filled or cancelled already|not a valid order id/i,
    error: errors.OrderNotFound,
  },
];

const refusal = z.object({ code: identifier, msg: z.string() });

export function prepareBingx(created: object): void {
  const client = created as BingxClient;
  Object.assign(client.exceptions.exact, CODES);
  // ccxt signs with the local time.
  client.nonce = () => venueTime(client).getTime();
  client.fetchMarkets = () => fetchMarkets(client);
  client.fetchOHLCV = (symbol, interval, since, limit, { until: endTime }) =>
    fetchCandles(client, { symbol, interval, since, limit, endTime });
  const handleErrors = client.handleErrors.bind(client);
  client.handleErrors = (...response) => {
    const { data } = refusal.safeParse(response[6]);
    const known = TEXTS.find(({ codes, text }) => data && codes.includes(data.code) && text.test(data.msg));
    if (known !== undefined) throw new known.error('a refusal');
    return handleErrors(...response);
  };
}

const market = z.object({
  info: z.object({
    status: z.coerce.number(),
    apiStateBuy: z.boolean().default(true),
    apiStateSell: z.boolean().default(true),
  }),
});

/** ccxt reads contracts as well, and counts a pair as closed if a field that the exchange may omit is missing. */
async function fetchMarkets(client: BingxClient): Promise<readonly unknown[]> {
  await client.loadTimeDifference();
  const markets = await client.fetchSpotMarkets({});
  return markets.map((each) => {
    const { status, apiStateBuy, apiStateSell } = parseResponse(market, each).info;
    return { ...each, active: status === 1 && apiStateBuy && apiStateSell };
  });
}

export const CANDLES_MAX = 1_440;
const candles = z.object({
  data: z.array(
    z.tuple([z.number(), jsonDecimal, jsonDecimal, jsonDecimal, jsonDecimal, jsonDecimal], z.unknown()),
  ),
});

interface CandleQuery {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly since: number;
  readonly limit: number;
  readonly endTime: unknown;
}

/** Returns the candles of a range. ccxt calls an address that the exchange does not document any more. */
async function fetchCandles(client: BingxClient, query: CandleQuery): Promise<readonly unknown[]> {
  const { symbol, interval, since, limit, endTime } = query;
  const response = await callEndpoint(client, 'spotV2PublicGetMarketKline', {
    symbol: client.market(symbol).id,
    interval: client.timeframes[interval],
    // The page does not say whether a range includes its start.
    startTime: Math.max(0, since - 1),
    ...(endTime !== undefined && { endTime }),
    limit: Math.min(limit, CANDLES_MAX),
    // Days begin at midnight UTC; without it, at midnight in Singapore.
    timeZone: 0,
  });
  return parseResponse(candles, response).data;
}
