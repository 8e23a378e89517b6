/** Binance USD-M perpetuals: https://developers.binance.com/docs/derivatives/usds-margined-futures */
import type { TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration } from '../../ccxt/declaration.js';
import type { RejectionPatterns } from '../../ccxt/failures.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import {
  LEVERAGE_NOT_ALLOWED,
  NO_ORDERS_NOW,
  ONLY_REDUCING_ORDERS,
  ORDER_TOO_SMALL,
  POSITION_TOO_LARGE,
  PRICE_TOO_FAR,
  TOO_MANY_OPEN_ORDERS,
} from '../../ccxt/rule-messages.js';
import { fetchFuturesBalances, inspectFutures } from './futures-account.js';
import { futuresFills } from './futures-fills.js';
import { futuresOrders } from './futures-orders.js';
import { futuresPositions } from './futures-positions.js';
import { futuresAccountStream, futuresMarketStream } from './futures-streams.js';

/** A conditional order belongs to another service, and continues as another order when it is triggered. */
const ORDER_TYPES: readonly TradeType[] = ['LIMIT', 'MARKET'];

const market = z.object({
  orderTypes: z.array(z.string()),
  timeInForce: z.array(z.string()),
  filters: z.array(z.looseObject({ filterType: z.string(), stepSize: exactDecimal.optional() })),
});

const restriction = (pattern: RegExp, message: string) =>
  ({ pattern, code: 'refused', message, refusesRequestAlone: true }) as const;

/** ccxt reads these as refusals of the account. They concern new orders, for a time or without one, or a leverage. */
const RESTRICTIONS: RejectionPatterns = [
  restriction(/"code"\s*:\s*"?-(?:4087|4400|4401)\b/, ONLY_REDUCING_ORDERS),
  restriction(/"code"\s*:\s*"?-(?:4088|4192)\b/, NO_ORDERS_NOW),
  restriction(/"code"\s*:\s*"?-(?:4202|4203|4205|4206|4403)\b/, LEVERAGE_NOT_ALLOWED),
];

export const perpetual: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/binance')).default,
    options: {
      defaultType: 'swap',
      defaultSubType: 'linear',
      fetchMarkets: { types: ['linear'] },
      fetchMargins: false,
    },
    fixedOptions: {
      // The exchange rejects a request that arrives later than this after it was signed, so no order arrives long after.
      recvWindow: 5_000,
      // If this were true, ccxt would report rejected credentials as a rate limit.
      hasAlreadyAuthenticatedSuccessfully: false,
    },
    prepare: (client) => prepare(client as FuturesClient),
  },
  market: 'swap',
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: '1 to 36 of letters, digits, and `. : / _ -`',
    unique: 'AMONG_OPEN_ORDERS',
    repetition: 'REFUSED',
    lookUp: 'One call. Cancelled or expired orders without fills are found for 3 days, others for 90 days.',
    absence: 'At once, for orders of the last two days. Later, absence is not proven.',
  },
  rateLimits: {
    scope: 'futures',
    weightOf: (cost) => cost,
    weightPerMinute: 2_400,
    ordersPer10s: 300,
    isAccountLimit: (body) => /"code"\s*:\s*"?-1015\b/.test(body),
  },
  rejectionPatterns: [
    ...RESTRICTIONS,
    { pattern: /"code"\s*:\s*"?-4116\b/, code: 'duplicate_client_order_id' },
    { pattern: /"code"\s*:\s*"?-4061\b/, code: 'position_mode' },
    // ReduceOnly orders without a position, and isolated margin of an account that uses several assets as margin.
    { pattern: /"code"\s*:\s*"?-(?:2022|4168)\b/, code: 'refused' },
    { pattern: /"code"\s*:\s*"?-2028\b/, code: 'insufficient_balance' },
    { pattern: /"code"\s*:\s*"?-40(?:16|24)\b/, code: 'rule_violated', message: PRICE_TOO_FAR },
    { pattern: /"code"\s*:\s*"?-(?:2025|4045)\b/, code: 'rule_violated', message: TOO_MANY_OPEN_ORDERS },
    { pattern: /"code"\s*:\s*"?-4164\b/, code: 'rule_violated', message: ORDER_TOO_SMALL },
    { pattern: /"code"\s*:\s*"?-2027\b/, code: 'rule_violated', message: POSITION_TOO_LARGE },
  ],
  orderTypes: ORDER_TYPES,
  openOrdersLockBalances: false,
  candlesPerResponse: 1_000,
  orders: futuresOrders,
  fills: futuresFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectFutures(ccxt),
    fetchBalances: ({ ccxt }) => fetchFuturesBalances(ccxt),
  },
  positions: futuresPositions,
  nativeRules: nativeRulesOf,
  accountStream: futuresAccountStream,
  marketStream: futuresMarketStream,
};

/** The members of ccxt's class that only this exchange needs. */
interface FuturesClient {
  calculateRateLimiterCost: (
    api: unknown,
    method: unknown,
    path: string,
    params: object,
    config: unknown,
  ) => number;
  market(symbol: string): { readonly id: string };
  fetchTicker: (symbol: string) => Promise<object>;
  fapiPublicGetTickerBookTicker(params: object): Promise<unknown>;
}

const bestPrices = z.object({ bidPrice: z.string(), askPrice: z.string() });

function prepare(client: FuturesClient): void {
  // The exchange counts these calls of version 3 with 5 each, and the mark prices of all markets with 10.
  const costOf = client.calculateRateLimiterCost.bind(client);
  client.calculateRateLimiterCost = (api, method, path, params, config) => {
    if (api === 'fapiPrivateV3') return 5;
    return path === 'premiumIndex' && !('symbol' in params) ? 10 : costOf(api, method, path, params, config);
  };
  // The ticker of futures has no best prices.
  const fetchTicker = client.fetchTicker.bind(client);
  client.fetchTicker = async (symbol) => {
    const params = { symbol: client.market(symbol).id };
    const [ticker, best] = await Promise.all([
      fetchTicker(symbol),
      client.fapiPublicGetTickerBookTicker(params),
    ]);
    const { bidPrice: bid, askPrice: ask } = parseResponse(bestPrices, best);
    return { ...ticker, bid, ask };
  };
}

function nativeRulesOf(info: unknown): NativeMarketRules {
  const { orderTypes, timeInForce, filters } = parseResponse(market, info);
  const step = filters.find(({ filterType }) => filterType === 'MARKET_LOT_SIZE')?.stepSize;
  return {
    marketAmountStep: step === '0' ? undefined : step,
    orderTypes: ORDER_TYPES.filter((type) => orderTypes.includes(type)),
    timeInForces: timeInForce.includes('GTX') ? ['GTC', 'IOC', 'FOK', 'POST_ONLY'] : ['GTC', 'IOC', 'FOK'],
  };
}
