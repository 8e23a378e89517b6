/** Binance spot: https://developers.binance.com/docs/binance-spot-api-docs */
import type { TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import {
  BALANCE_TOO_LARGE,
  MARKET_NOT_ALLOWED,
  ORDER_TOO_SMALL,
  PRICE_TOO_FAR,
  TOO_MANY_OPEN_ORDERS,
} from '../../ccxt/rule-messages.js';
import { fetchUnifiedBalances } from '../../ccxt/unified-balances.js';
import { unifiedFills } from '../../ccxt/unified-fills.js';
import { unifiedOrders } from '../../ccxt/unified-orders.js';
import { marketStreams } from './market-streams.js';
import { userDataStream } from './user-data-stream.js';

const account = z.object({
  canTrade: z.boolean(),
  balances: z.array(z.unknown()),
  updateTime: z.number().int().positive().optional().catch(undefined),
  uid: z.union([z.string(), z.number()]).optional(),
});
const key = z.object({ enableSpotAndMarginTrading: z.boolean(), enableWithdrawals: z.boolean() });

const market = z.object({
  orderTypes: z.array(z.string()),
  filters: z.array(z.looseObject({ filterType: z.string(), stepSize: exactDecimal.optional() })),
});
const ORDER_TYPES: Readonly<Record<string, TradeType>> = {
  LIMIT: 'LIMIT',
  MARKET: 'MARKET',
  STOP_LOSS: 'STOP_MARKET',
  STOP_LOSS_LIMIT: 'STOP_LIMIT',
};

const DAY_MS = 86_400_000;

/** How lists of fills are paged, also those of margin. */
export const FILL_PAGES = {
  pageSize: 1_000,
  from: (fillId: string) => ({ fromId: fillId }),
  between: (from: Date, to: Date) => ({ startTime: from.getTime(), endTime: to.getTime() }),
  spanMs: DAY_MS,
};

const BALANCES = {
  isBalanceResponse: (info: unknown) => account.safeParse(info).success,
  datedAt: (info: unknown) => {
    const updateTime = account.safeParse(info).data?.updateTime;
    return updateTime === undefined ? undefined : new Date(updateTime);
  },
};

export const spot: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/binance')).default,
    options: { defaultType: 'spot', fetchMarkets: { types: ['spot'] }, fetchMargins: false },
    fixedOptions: {
      // The exchange rejects a request that arrives later than this after it was signed, so no order arrives long after.
      recvWindow: 5_000,
      // If this were true, ccxt would report rejected credentials as a rate limit.
      hasAlreadyAuthenticatedSuccessfully: false,
      // RESULT requests a response without fills: the product reads fills from the account stream and the list of fills.
      newOrderRespType: { limit: 'RESULT', market: 'RESULT' },
      // ccxt would warn of the higher weight of a call without a symbol; the call budget accounts for it.
      fetchOpenOrders: { warnWithoutSymbol: false },
    },
    prepare: (client) => prepare(client as BinanceClient),
  },
  market: 'spot',
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: '1 to 36 of letters, digits, and `. : / _ -`',
    unique: 'AMONG_OPEN_ORDERS',
    repetition: 'REFUSED',
    lookUp: 'One call, for orders of the last 90 days.',
    absence: 'At once: the call finds every order that the exchange has accepted.',
  },
  rateLimits: {
    // ccxt assumes a limit of 1,200 units a minute; the limit of the exchange is 6,000 units.
    weightOf: (cost) => 5 * cost,
    weightPerMinute: 6_000,
    ordersPer10s: 100,
    isAccountLimit: (body) => /"code"\s*:\s*"?-1015\b/.test(body),
  },
  rejectionPatterns: [
    // ccxt reads it as a refusal of the account.
    {
      pattern: /This symbol is (?:not permitted|restricted) for this account/,
      code: 'refused',
      message: MARKET_NOT_ALLOWED,
      refusesRequestAlone: true,
    },
    { pattern: /Duplicate order sent/, code: 'duplicate_client_order_id' },
    { pattern: /insufficient balance/, code: 'insufficient_balance' },
    { pattern: /would immediately match|would trigger immediately/, code: 'would_not_fit_book' },
    { pattern: /"code"\s*:\s*"?-2010\b/, code: 'refused' },
    { pattern: /PERCENT_PRICE/, code: 'rule_violated', message: PRICE_TOO_FAR },
    { pattern: /MAX_NUM_(?:ALGO_)?ORDERS/, code: 'rule_violated', message: TOO_MANY_OPEN_ORDERS },
    { pattern: /Filter failure: (?:MIN_)?NOTIONAL/, code: 'rule_violated', message: ORDER_TOO_SMALL },
    { pattern: /MAX_POSITION/, code: 'rule_violated', message: BALANCE_TOO_LARGE },
  ],
  orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'],
  // Orders lock what they may spend when they are accepted, stop orders included.
  openOrdersLockBalances: true,
  candlesPerResponse: 1_000,
  orders: unifiedOrders(true),
  fills: unifiedFills(FILL_PAGES),
  account: {
    inspectCredentials: async ({ ccxt }) => {
      const client = ccxt as unknown as BinanceClient;
      const accountInfo = parseResponse(account, await client.privateGetAccount());
      const keyInfo = parseResponse(key, await client.sapiGetAccountApiRestrictions());
      return {
        tradingTypes: ['spot'],
        canTrade: accountInfo.canTrade && keyInfo.enableSpotAndMarginTrading,
        canWithdraw: keyInfo.enableWithdrawals,
        venueAccountId: accountInfo.uid === undefined ? undefined : String(accountInfo.uid),
      };
    },
    fetchBalances: ({ ccxt }) => fetchUnifiedBalances(ccxt, BALANCES),
  },
  nativeRules: nativeRulesOf,
  accountStream: userDataStream,
  marketStream: marketStreams,
};

/** The members of ccxt's class that only this exchange needs. */
interface BinanceClient {
  calculateRateLimiterCost: (
    api: unknown,
    method: unknown,
    path: string,
    params: object,
    config: unknown,
  ) => number;
  safeOrder: (order: object) => object;
  privateGetAccount(): Promise<unknown>;
  sapiGetAccountApiRestrictions(): Promise<unknown>;
}

function prepare(client: BinanceClient): void {
  // ccxt counts the fills of one order like those of a pair; the exchange counts 5 instead of 20.
  const costOf = client.calculateRateLimiterCost.bind(client);
  client.calculateRateLimiterCost = (api, method, path, params, config) =>
    path === 'myTrades' && 'orderId' in params ? 1 : costOf(api, method, path, params, config);
  // ccxt's method derives fields that some exchanges omit (average, cost, remaining). Binance reports every field
  // that the product uses. The derivation would take a tenth of the CPU time of an order.
  client.safeOrder = (order) => order;
}

function nativeRulesOf(info: unknown): NativeMarketRules {
  const { orderTypes, filters } = parseResponse(market, info);
  const step = filters.find(({ filterType }) => filterType === 'MARKET_LOT_SIZE')?.stepSize;
  return {
    marketAmountStep: step === '0' ? undefined : step,
    orderTypes: orderTypes.flatMap((type) => ORDER_TYPES[type] ?? []),
    timeInForces: orderTypes.includes('LIMIT_MAKER')
      ? ['GTC', 'IOC', 'FOK', 'POST_ONLY']
      : ['GTC', 'IOC', 'FOK'],
  };
}
