/** OKX's account for all products: https://www.okx.com/docs-v5/en/ */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { KeyPermissions } from '../../port.js';
import { fetchOkxBalances, inspectOkx, okxLoans } from './account.js';
import { okxFills, okxOrders } from './calls.js';
import { prepareOkx } from './client.js';
import { okxPositions } from './positions.js';
import { accountStream, marketStream } from './streams.js';

// A triggered stop order continues as an order with other ids, so it cannot be followed.
const ORDER_TYPES = ['LIMIT', 'MARKET'] as const;

const tradingMarket = z.union([
  z.object({ instType: z.literal('SPOT') }),
  z.object({
    instType: z.literal('SWAP'),
    ctType: z.literal('linear'),
    settleCcy: z.enum(['USDT', 'USDC']),
    // One contract is this much of the base currency.
    ctMult: z.literal('1'),
  }),
]);

function nativeRulesOf(info: unknown): NativeMarketRules {
  parseResponse(tradingMarket, info);
  return { orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] };
}

function declare(type: TradingType): TradingTypeDeclaration {
  const isPerpetual = type === 'perpetual';
  return {
    client: {
      load: async () => (await import('ccxt/js/src/pro/okx')).default,
      options: {
        defaultType: isPerpetual ? 'swap' : 'spot',
        fetchMarkets: { types: [isPerpetual ? 'swap' : 'spot'] },
      },
      fixedOptions: {},
      prepare: prepareOkx,
    },
    market: isPerpetual ? 'swap' : type === 'margin' ? 'margin' : 'spot',
    clientOrderId: {
      prefix: 'ta',
      length: 32,
      accepts: '1 to 32 letters and digits',
      unique: 'AMONG_OPEN_ORDERS',
      repetition: 'REFUSED',
      lookUp:
        'By a call with the client order id. Orders without a fill are found until two hours after they were cancelled.',
      absence:
        'If the call does not find the order within 110 minutes after it was sent. Later, the order may have been cancelled.',
    },
    rateLimits: {
      // The exchange counts each endpoint separately: public ones by address, signed ones by user.
      weightOf: () => 1,
      weightPerMinute: 6_000,
      // 60 orders in two seconds for each user and pair.
      ordersPer10s: 300,
      // The exchange names no time; its limits are for two seconds.
      pauseOf: ({ status }) => (status === 429 ? 2_000 : undefined),
      isAccountLimit: (body) => /"(?:code|sCode)"\s*:\s*"(?:50011|50061)"/.test(body),
    },
    rejectionPatterns: [
      { pattern: /Parameter posSide/, code: 'position_mode' },
      { pattern: /"sCode"\s*:\s*"51016"/, code: 'duplicate_client_order_id' },
      { pattern: /"sCode"\s*:\s*"(?:51017|51136|51502)"/, code: 'insufficient_balance' },
      { pattern: /"sCode"\s*:\s*"(?:51148|51169|51205|51206)"/, code: 'refused' },
      { pattern: /"sCode"\s*:\s*"51150"/, code: 'rule_violated' },
      { pattern: /"code"\s*:\s*"(?:59102|59105)"/, code: 'rule_violated' },
      { pattern: /"code"\s*:\s*"(?:59000|59100|59101|59104|59107)"/, code: 'refused' },
    ],
    orderTypes: ORDER_TYPES,
    openOrdersLockBalances: type === 'spot',
    candlesPerResponse: 300,
    orders: okxOrders(type),
    fills: okxFills(type),
    account: {
      inspectCredentials: ({ ccxt }) => inspectOkx(ccxt, type),
      fetchBalances: ({ ccxt }) => fetchOkxBalances(ccxt),
    },
    positions: isPerpetual ? okxPositions : undefined,
    loans: type === 'margin' ? okxLoans : undefined,
    nativeRules: nativeRulesOf,
    accountStream: accountStream(type),
    marketStream: marketStream(),
  };
}

const PERMISSIONS: KeyPermissions = {
  needed: ['Read', 'Trade'],
  refused: ['Withdraw'],
  notes: [
    'OKX deletes a key without a linked IP address after 14 days without use.',
    'Keys of the European and United States sites of OKX are rejected here.',
  ],
};

export const okx: VenueDeclaration = {
  id: 'okx',
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
