/** Bybit's unified trading account: https://bybit-exchange.github.io/docs/v5/intro */
import type { TradeType, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { KeyPermissions } from '../../port.js';
import { bybitLoans, bybitPositions, fetchBybitBalances, inspectBybit } from './account.js';
import { bybitFills, bybitOrders, type Category } from './calls.js';
import { prepareBybit } from './client.js';
import { accountStream, marketStream } from './streams.js';

const tradingMarket = z.object({ status: z.string() });

function nativeRulesOf(info: unknown, orderTypes: readonly TradeType[]): NativeMarketRules {
  parseResponse(tradingMarket, info);
  return { orderTypes, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] };
}

/** @param type a trading type; spot and margin trade the same markets */
function declare(type: TradingType, category: Category): TradingTypeDeclaration {
  // A triggered stop order of spot continues as an order with another id, so it cannot be followed.
  const orderTypes: readonly TradeType[] =
    category === 'spot' ? ['LIMIT', 'MARKET'] : ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'];
  return {
    client: {
      load: async () => (await import('ccxt/js/src/pro/bybit')).default,
      sandbox: 'enableDemoTrading',
      options: {
        defaultType: category === 'spot' ? 'spot' : 'swap',
        fetchMarkets: { types: [category] },
      },
      fixedOptions: {
        // The exchange rejects a request that arrives later than this after it was signed.
        recvWindow: 5_000,
        // ccxt would store the kind of one account for all of them.
        enableUnifiedMargin: false,
        enableUnifiedAccount: true,
        unifiedMarginStatus: 6,
      },
      prepare: prepareBybit,
    },
    market: category === 'spot' ? (type === 'margin' ? 'margin' : 'spot') : 'swap',
    clientOrderId: {
      prefix: 'ta',
      length: 36,
      accepts: '1 to 36 of letters, digits, `_` and `-`',
      unique: 'FOR_EVER',
      repetition: 'REFUSED',
      lookUp:
        'The list of open and recent orders, then the history: two years of orders with fills, 24 hours of others.',
      absence:
        'If neither list has the order within 23 hours after it was sent. Later, the order may have been cancelled.',
    },
    rateLimits: {
      // 600 calls in 5 s from one address.
      weightOf: () => 1,
      weightPerMinute: 7_200,
      // The exchange counts 10 to 20 a second of each account and category.
      ordersPer10s: 100,
      pauseOf: ({ headers }) => {
        const until = Number(headers['x-bapi-limit-reset-timestamp']);
        return Number(headers['x-bapi-limit-status']) === 0 ? until - Date.now() : undefined;
      },
      isAccountLimit: (body) => /"retCode"\s*:\s*10006\b/.test(body),
    },
    rejectionPatterns: [
      { pattern: /position idx not match position mode/, code: 'position_mode' },
      { pattern: /symbol is invalid/i, code: 'not_supported' },
      { pattern: /"retCode"\s*:\s*(?:110072|170141)\b/, code: 'duplicate_client_order_id' },
      {
        pattern: /"retCode"\s*:\s*(?:110004|110006|110007|110012|110014|110044|110045|170131)\b/,
        code: 'insufficient_balance',
      },
      { pattern: /"retCode"\s*:\s*(?:110001|170213)\b/, code: 'order_not_found' },
      { pattern: /"retCode"\s*:\s*(?:110017|110024|110025)\b/, code: 'refused' },
    ],
    orderTypes,
    openOrdersLockBalances: type === 'spot',
    candlesPerResponse: 1_000,
    orders: bybitOrders(category, type === 'margin'),
    fills: bybitFills(category),
    account: {
      inspectCredentials: ({ ccxt }) => inspectBybit(ccxt, type),
      fetchBalances: ({ ccxt }) => fetchBybitBalances(ccxt),
    },
    positions: category === 'linear' ? bybitPositions : undefined,
    loans: type === 'margin' ? bybitLoans : undefined,
    nativeRules: (info) => nativeRulesOf(info, orderTypes),
    accountStream: accountStream(category),
    marketStream: marketStream(category),
  };
}

const PERMISSIONS: KeyPermissions = {
  needed: ['Read-Write', 'Orders and Positions of Contract', 'Trade of SPOT'],
  refused: ['Withdrawal'],
  notes: ['Bybit ends a key without an IP address after 90 days.'],
};

export const bybit: VenueDeclaration = {
  id: 'bybit',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: false,
    permissions: { spot: PERMISSIONS, margin: PERMISSIONS, perpetual: PERMISSIONS },
  },
  tradingTypes: {
    spot: declare('spot', 'spot'),
    margin: declare('margin', 'spot'),
    perpetual: declare('perpetual', 'linear'),
  },
};
