/** Kraken's spot markets: https://docs.kraken.com/exchange/guides/general/introduction */
import type { TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { fetchSpotBalances, inspectSpotKey, withoutZeros } from './spot-account.js';
import { spotFills, spotOrders } from './spot-calls.js';
import { prepareSpot } from './spot-client.js';
import { spotAccountStream, spotMarketStream } from './spot-streams.js';

/**
 * Stop orders are left out: the documentation does not say whether they lock a balance before they are triggered, and
 * no recording shows it.
 */
const ORDER_TYPES: readonly TradeType[] = ['LIMIT', 'MARKET'];

const market = z.object({ status: z.string(), altname: z.string(), wsname: z.string() });

function nativeRulesOf(info: unknown): NativeMarketRules {
  parseResponse(market, info);
  return { orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] };
}

export const spot: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/kraken')).default,
    options: {},
    fixedOptions: {},
    prepare: prepareSpot,
    hasRisingNonces: true,
  },
  market: 'spot',
  clientOrderId: {
    prefix: 'ta',
    length: 18,
    accepts: 'A UUID with or without hyphens, or up to 18 characters of ASCII',
    unique: 'AMONG_OPEN_ORDERS',
    repetition: 'REFUSED',
    lookUp: 'The open orders, then the closed orders, both filtered by the id.',
    absence: 'If neither of the two lists has the order.',
  },
  rateLimits: {
    scope: 'spot',
    // The exchange counts lists of trades twice. Orders have limits of their own.
    weightOf: (cost) => (cost >= 6 ? 2 : 1),
    // The limit of an address for public calls.
    weightPerMinute: 1_200,
    // A counter of each key rises to 15 and falls by one in three seconds, for the lowest level of verification. Lists of
    // trades count twice; new and cancelled orders, which cost nothing in ccxt, do not count.
    account: { weight: 15, windowMs: 45_000, weightOf: (cost) => (cost >= 6 ? 2 : Math.min(cost, 1)) },
    // 60 new or cancelled orders of a pair at once, for the lowest level of verification.
    ordersPer10s: 50,
    isAccountLimit: (body) => /EAPI:Rate limit exceeded|EOrder:Rate limit exceeded/.test(body),
    pauseOf: ({ body }) => (/Rate limit exceeded|Too many requests/.test(body) ? 2_000 : undefined),
  },
  rejectionPatterns: [],
  orderTypes: ORDER_TYPES,
  openOrdersLockBalances: true,
  candlesPerResponse: 720,
  orders: spotOrders,
  fills: spotFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectSpotKey(ccxt),
    fetchBalances: async ({ ccxt }) => withoutZeros(await fetchSpotBalances(ccxt)),
  },
  nativeRules: nativeRulesOf,
  accountStream: spotAccountStream,
  marketStream: spotMarketStream,
};
