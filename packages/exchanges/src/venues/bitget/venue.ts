/** Bitget's unified trading account, version 3 of its API: https://www.bitget.com/api-doc/uta/intro */
import type { TradeType, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { KeyPermissions } from '../../port.js';
import { fetchBitgetBalances, inspectBitget } from './account.js';
import { bitgetFills, bitgetOrders } from './calls.js';
import { CATEGORIES, prepareBitget } from './client.js';
import { bitgetLoans } from './loans.js';
import { bitgetPositions } from './positions.js';
import { accountStream, marketStream } from './streams.js';

/** Stop orders are another kind of order, whose trigger places an order with other ids. */
const ORDER_TYPES: readonly TradeType[] = ['LIMIT', 'MARKET'];

const tradingMarket = z.union([
  z.object({ category: z.enum(CATEGORIES.margin) }),
  z.object({ category: z.enum(CATEGORIES.perpetual), type: z.literal('perpetual') }),
]);

function nativeRulesOf(info: unknown): NativeMarketRules {
  parseResponse(tradingMarket, info);
  return { orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] };
}

function declare(type: TradingType): TradingTypeDeclaration {
  const isPerpetual = type === 'perpetual';
  return {
    client: {
      load: async () => (await import('ccxt/js/src/pro/bitget')).default,
      options: {
        defaultType: isPerpetual ? 'swap' : 'spot',
        // Days begin at midnight UTC.
        fetchOHLCV: { timeframes: { uta: { '1d': '1Dutc' } } },
      },
      fixedOptions: {
        // ccxt would store the kind of one account for all of them.
        uta: true,
      },
      prepare: (client) => prepareBitget(type, client),
    },
    market: isPerpetual ? 'swap' : type === 'margin' ? 'margin' : 'spot',
    clientOrderId: {
      prefix: 'ta',
      // Market purchases of spot and margin have two more characters behind it.
      length: 30,
      accepts: '1 to 32 of letters, digits and `. : / _ -`',
      unique: 'AMONG_OPEN_ORDERS',
      repetition: 'REFUSED',
      lookUp:
        'By a call with the client order id, for spot and margin also with that of a market purchase, then in the list of ended orders, which reaches back 90 days.',
      absence: 'If neither the calls nor the list of ended orders since it was sent has the order.',
    },
    rateLimits: {
      // Public calls are counted by address, signed ones by user; 20 a second of most of them.
      weightOf: () => 1,
      weightPerMinute: 6_000,
      ordersPer10s: 100,
      // The exchange names no time; its limits are for one second.
      pauseOf: ({ status }) => (status === 429 ? 1_000 : undefined),
      isAccountLimit: (body) => /"code"\s*:\s*"25004"/.test(body),
    },
    rejectionPatterns: [{ pattern: /"code"\s*:\s*"(?:25236|40774)"/, code: 'position_mode' }],
    orderTypes: ORDER_TYPES,
    openOrdersLockBalances: type === 'spot',
    candlesPerResponse: 100,
    orders: bitgetOrders(type),
    fills: bitgetFills(type),
    account: {
      inspectCredentials: ({ ccxt }) => inspectBitget(ccxt, type),
      fetchBalances: ({ ccxt }) => fetchBitgetBalances(ccxt),
    },
    positions: isPerpetual ? bitgetPositions : undefined,
    loans: type === 'margin' ? bitgetLoans : undefined,
    nativeRules: nativeRulesOf,
    accountStream: accountStream(type),
    marketStream: marketStream(type),
  };
}

const PERMISSIONS: KeyPermissions = {
  needed: ['Read-write', 'Trade', 'Manage'],
  refused: ['Withdraw'],
  notes: ['The permissions are those of the unified account.'],
};

export const bitget: VenueDeclaration = {
  id: 'bitget',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: true,
    permissions: { spot: PERMISSIONS, margin: PERMISSIONS, perpetual: PERMISSIONS },
  },
  tradingTypes: {
    spot: declare('spot'),
    margin: declare('margin'),
    perpetual: declare('perpetual'),
  },
};
