/** HTX, formerly Huobi: https://huobiapi.github.io/docs/spot/v1/en/ */
import { z } from 'zod';
import type { TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { fetchHtxBalances, inspectHtx } from './account.js';
import { htxFills, htxOrders } from './calls.js';
import { CANDLES_MAX, prepareHtx } from './client.js';
import { htxMarketStream } from './market-streams.js';
import { htxAccountStream } from './streams.js';

const pair = z.object({ 'api-trading': z.literal('enabled') });

// A conditional order gets an order id only when it is triggered, so it cannot be followed.
const ORDER_TYPES = ['LIMIT', 'MARKET'] as const;

/** ccxt's cost of a call that the exchange allows 100 times in 2 s. */
const LEAST_COST = 0.2;

const RATE_LIMITED = /"err-code"\s*:\s*"rate-too-many-requests"/;
/** The window of the limits of users. */
const WINDOW_MS = 2_000;

const spot: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/htx')).default,
    options: {
      defaultType: 'spot',
      fetchMarkets: { types: { spot: true, linear: false, inverse: false } },
    },
    fixedOptions: {},
    prepare: prepareHtx,
  },
  market: 'spot',
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: '1 to 64 of letters, digits, `_` and `-`',
    unique: 'NOT_ENFORCED',
    repetition: 'PLACES_ANOTHER',
    lookUp: 'By the id, for two hours after the creation; then the open orders and the list of ended orders.',
    absence:
      'If the look-up does not find it within 100 minutes of the sending. A cancelled order is forgotten.',
  },
  rateLimits: {
    // The exchange counts public calls by address, 10 a second, and others by user, 100 in 2 s at most.
    weightOf: (cost) => cost / LEAST_COST,
    weightPerMinute: 3_000,
    ordersPer10s: 500,
    isAccountLimit: () => true,
    // A successful response may report that nothing remains; the next call of another endpoint still works.
    pauseOf: ({ status, headers, body }) => {
      if (status !== 429 && !RATE_LIMITED.test(body)) return undefined;
      const pauseMs = Number(headers['x-hb-ratelimit-requests-expire']) - Date.now();
      return pauseMs > 0 ? pauseMs : WINDOW_MS;
    },
  },
  rejectionPatterns: [],
  orderTypes: ORDER_TYPES,
  openOrdersLockBalances: true,
  candlesPerResponse: CANDLES_MAX,
  orders: htxOrders,
  fills: htxFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectHtx(ccxt),
    fetchBalances: ({ ccxt }) => fetchHtxBalances(ccxt),
  },
  nativeRules: (info) => {
    parseResponse(pair, info);
    return { orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] };
  },
  accountStream: htxAccountStream,
  marketStream: htxMarketStream,
};

export const htx: VenueDeclaration = {
  id: 'htx',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: false,
    permissions: {
      spot: {
        needed: ['Read', 'Trade'],
        refused: ['Withdraw'],
        notes: ['HTX ends a key without an IP address after 90 days.'],
      },
    },
  },
  tradingTypes: { spot },
  notOffered: {
    margin: 'An order does not borrow and repay. Loans are taken and repaid by calls of their own.',
    perpetual: 'A client order id of a contract is an integer. Those of this product have letters.',
  },
};
