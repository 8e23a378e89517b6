/** Changes of ccxt's client of HTX. */
import type { CandleInterval } from '@trading-automation/contracts';
import errors from 'ccxt/js/src/base/errors';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';

interface HtxClient extends CcxtClient {
  readonly exceptions: {
    readonly broad: Record<string, unknown>;
    readonly exact: Record<string, unknown>;
  };
}

/** Error codes of the exchange's pages that ccxt does not know. */
const CODES: Readonly<Record<string, unknown>> = {
  // https://huobiapi.github.io/docs/spot/v1/en/#error-code-7
  'login-required': errors.AuthenticationError,
  'base-system-error': errors.ExchangeNotAvailable,
  'base-argument-unsupported': errors.BadRequest,
  'base-operation-forbidden': errors.OperationRejected,
  'base-not-found': errors.OrderNotFound,
  'not-found': errors.OrderNotFound,
  'symbol-not-support': errors.BadSymbol,
  'order-disabled': errors.MarketClosed,
  'cancel-disabled': errors.MarketClosed,
  'market-orders-not-support-during-limit-price-trading': errors.MarketClosed,
  'order-accountbalance-error': errors.InsufficientFunds,
  'order-amount-over-limit': errors.InvalidOrder,
  'order-orderamount-precision-error': errors.InvalidOrder,
  'order-marketorder-amount-buy-max-error': errors.InvalidOrder,
  'order-marketorder-amount-sell-max-error': errors.InvalidOrder,
  'order-etp-nav-price-min-error': errors.InvalidOrder,
  'order-price-greater-than-limit': errors.InvalidOrder,
  'order-price-less-than-limit': errors.InvalidOrder,
  'price-exceeds-the-protective-price-during-limit-price-trading': errors.InvalidOrder,
  'invalid-client-order-id': errors.DuplicateOrderId,
  // https://huobiapi.github.io/docs/spot/v1/en/#error-code-2
  '500': errors.ExchangeNotAvailable,
  '1002': errors.PermissionDenied,
  // https://huobiapi.github.io/docs/spot/v1/en/#error-code-12: messages of the account stream
  'auth.fail': errors.AuthenticationError,
  'invalid.auth.state': errors.AuthenticationError,
  'invalid.ip': errors.AuthenticationError,
  'too.many.request': errors.RateLimitExceeded,
  'too.many.connection': errors.RateLimitExceeded,
};

/** The exchange rejects a wrong time with the code of a wrong signature. The text names the time. */
const WRONG_TIME = '无效的提交时间';

export function prepareHtx(created: object): void {
  const client = created as HtxClient;
  Object.assign(client.exceptions.exact, CODES);
  client.exceptions.broad[WRONG_TIME] = errors.InvalidNonce;
  // ccxt has this call for contracts only.
  Object.assign(client.has, { fetchLastPrices: false });
  client.fetchOHLCV = (symbol, interval, since) => fetchCandles(client, symbol, interval, since);
}

export const CANDLES_MAX = 2_000;
const MINUTE_MS = 60_000;
const PERIODS: Readonly<Record<CandleInterval, readonly [name: string, ms: number]>> = {
  '1m': ['1min', MINUTE_MS],
  '5m': ['5min', 5 * MINUTE_MS],
  '15m': ['15min', 15 * MINUTE_MS],
  '1h': ['60min', 60 * MINUTE_MS],
  '4h': ['4hour', 240 * MINUTE_MS],
  '1d': ['1day', 1_440 * MINUTE_MS],
};

const candles = z.object({
  data: z.array(
    z.object({
      id: z.coerce.number(),
      open: jsonDecimal,
      high: jsonDecimal,
      low: jsonDecimal,
      close: jsonDecimal,
      amount: jsonDecimal,
    }),
  ),
});

/**
 * Returns the candles from `since` on. The exchange returns the newest ones; ccxt would use a call that the exchange does
 * not document.
 */
async function fetchCandles(
  client: HtxClient,
  symbol: string,
  interval: CandleInterval,
  since: number,
): Promise<readonly unknown[]> {
  const [period, ms] = PERIODS[interval];
  const size = Math.max(1, Math.ceil((client.nonce() - since) / ms) + 1);
  if (size > CANDLES_MAX) throw new errors.NotSupported(`more than ${CANDLES_MAX} candles ago`);
  const params = { symbol: client.market(symbol).id, period, size };
  const response = await callEndpoint(client, 'spotPublicGetMarketHistoryKline', params);
  return parseResponse(candles, response)
    .data.map(({ id, open, high, low, close, amount }) => [id * 1_000, open, high, low, close, amount])
    .filter(([openedAt]) => Number(openedAt) >= since);
}
