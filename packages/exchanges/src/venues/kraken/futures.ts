/** Kraken's linear perpetuals with several collaterals: https://docs.kraken.com/exchange/guides/futures/introduction */
import type { TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { fetchFuturesBalances, futuresPositions, inspectFuturesKey } from './futures-account.js';
import { futuresFills, futuresOrders } from './futures-calls.js';
import { prepareFutures } from './futures-client.js';
import { futuresAccountStream, futuresMarketStream } from './futures-streams.js';

/** Stop orders are left out: nothing recorded or documented shows that a triggered one keeps its ids. */
const ORDER_TYPES: readonly TradeType[] = ['LIMIT', 'MARKET'];

/** Other types are dated contracts, and contracts that are settled in their base currency. */
const market = z.object({ type: z.literal('flexible_futures') });

function nativeRulesOf(info: unknown): NativeMarketRules {
  parseResponse(market, info);
  return { orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] };
}

export const futures: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/krakenfutures')).default,
    options: {},
    fixedOptions: {},
    prepare: prepareFutures,
  },
  market: 'swap',
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: 'Up to 100 characters',
    unique: 'AMONG_OPEN_ORDERS',
    repetition: 'REFUSED',
    lookUp:
      'The status of single orders, which contains open orders and those that ended in the last five seconds; then the fills and the history of orders since the order was sent.',
    absence:
      'If none of the three contains the id. Without the time of sending, absence is not known. An order of the history without its end is not known.',
  },
  rateLimits: {
    scope: 'futures',
    weightOf: (cost) => cost,
    // 500 in 10 s of each account.
    weightPerMinute: 3_000,
    account: { weight: 500, windowMs: 10_000, weightOf: (cost) => cost },
    ordersPer10s: 40,
    isAccountLimit: () => false,
    pauseOf: ({ body, status }) => (status === 429 || body.includes('apiLimitExceeded') ? 1_000 : undefined),
  },
  rejectionPatterns: [],
  orderTypes: ORDER_TYPES,
  openOrdersLockBalances: false,
  candlesPerResponse: 2_000,
  orders: futuresOrders,
  fills: futuresFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectFuturesKey(ccxt),
    fetchBalances: ({ ccxt }) => fetchFuturesBalances(ccxt),
  },
  positions: futuresPositions,
  nativeRules: nativeRulesOf,
  accountStream: futuresAccountStream,
  marketStream: futuresMarketStream,
};
