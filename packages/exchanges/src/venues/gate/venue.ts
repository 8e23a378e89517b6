/** Gate's API, version 4: https://www.gate.com/docs/developers/apiv4/en/ */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { KeyPermissions } from '../../port.js';
import {
  fetchFuturesBalances,
  fetchSpotBalances,
  fetchUnifiedAccountBalances,
  gateLoans,
  inspectGate,
} from './account.js';
import { prepareGate } from './client.js';
import { futuresFills, futuresOrders } from './futures-calls.js';
import { futuresMarketStream, spotMarketStream } from './market-streams.js';
import { gatePositions } from './positions.js';
import { type SpotAccount, spotFills, spotOrders } from './spot-calls.js';
import { futuresAccountStream, spotAccountStream } from './streams.js';

const spotMarket = z.object({ trade_status: z.string() });
const futuresMarket = z.object({ quanto_multiplier: z.string() });

// A triggered stop order continues as another order with another id, so it cannot be followed.
const ORDER_TYPES = ['LIMIT', 'MARKET'] as const;
const NATIVE_RULES = { orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] } as const;

const SECOND_MS = 1_000;
/** Times in seconds are smaller. */
const MILLISECONDS_MIN = 100_000_000_000;

/** What all trading types have in common. */
const COMMON = {
  rejectionPatterns: [
    { pattern: /"label"\s*:\s*"(?:POC_FILL_IMMEDIATELY|ORDER_POC_IMMEDIATE)"/, code: 'would_not_fit_book' },
    { pattern: /"label"\s*:\s*"(?:FOK_NOT_FILL|ORDER_FOK)"/, code: 'would_not_fit_book' },
    {
      pattern: /"label"\s*:\s*"(?:ORDER_NOT_FOUND|ORDER_CLOSED|ORDER_CANCELLED|ORDER_FINISHED)"/,
      code: 'order_not_found',
    },
    { pattern: /"label"\s*:\s*"AUTO_BORROW_TOO_MUCH"/, code: 'insufficient_balance' },
    { pattern: /"label"\s*:\s*"POSITION_DUAL_MODE"/, code: 'position_mode' },
    { pattern: /"label"\s*:\s*"(?:REDUCE_EXCEEDED|POSITION_EMPTY|INCREASE_POSITION)"/, code: 'refused' },
    { pattern: /"label"\s*:\s*"(?:POSITION_HOLDING|ORDER_PENDING)"/, code: 'refused' },
  ],
  orderTypes: ORDER_TYPES,
  candlesPerResponse: 1_000,
} as const;

const rateLimits = (scope: string, ordersPer10s: number): TradingTypeDeclaration['rateLimits'] => ({
  scope,
  // The exchange counts 200 calls in 10 s of each endpoint: public ones by address, others by account.
  weightOf: () => 1,
  weightPerMinute: 6_000,
  ordersPer10s,
  pauseOf: ({ status, headers }) => {
    if (status !== 429) return undefined;
    const reset = Number(headers['x-gate-ratelimit-reset-timestamp'] ?? 0);
    return (reset < MILLISECONDS_MIN ? reset * SECOND_MS : reset) - Date.now();
  },
  // Only public calls are limited by address.
  isAccountLimit: () => true,
});

const clientOrderId = (lookUp: string, absence: string): TradingTypeDeclaration['clientOrderId'] => ({
  prefix: 'ta',
  // The exchange adds two characters before the id and, for market purchases, this product two behind it.
  length: 26,
  accepts: '1 to 28 of letters, digits, `_`, `-` and `.`, after `t-`',
  unique: 'NOT_ENFORCED',
  repetition: 'PLACES_ANOTHER',
  lookUp,
  absence,
});

const client = (options: Readonly<Record<string, unknown>>): TradingTypeDeclaration['client'] => ({
  load: async () => (await import('ccxt/js/src/pro/gate')).default,
  options,
  // ccxt would ask for the kind of one account, and store it for all of them.
  fixedOptions: { unifiedAccount: false },
  prepare: prepareGate,
});

/** Spot and margin trade the same markets: from the spot account, or from the unified account. */
function spot(type: TradingType, account: SpotAccount): TradingTypeDeclaration {
  return {
    ...COMMON,
    client: client({ defaultType: 'spot', fetchMarkets: { types: ['spot'] } }),
    market: 'spot',
    clientOrderId: clientOrderId(
      'By the id while the order is open, and for a short time after; then the list of ended orders by time.',
      'If neither the open orders nor the orders that ended since a minute before the sending have the id.',
    ),
    rateLimits: rateLimits('spot', 100),
    openOrdersLockBalances: account === 'spot',
    orders: spotOrders(account),
    fills: spotFills(account),
    account: {
      inspectCredentials: ({ ccxt }) => inspectGate(ccxt, type),
      fetchBalances: ({ ccxt }) =>
        account === 'spot' ? fetchSpotBalances(ccxt) : fetchUnifiedAccountBalances(ccxt),
    },
    loans: account === 'unified' ? gateLoans : undefined,
    nativeRules: (info) => {
      parseResponse(spotMarket, info);
      return NATIVE_RULES;
    },
    accountStream: spotAccountStream(account === 'spot' ? 'spot.balances' : 'spot.cross_balances'),
    marketStream: spotMarketStream,
  };
}

const perpetual: TradingTypeDeclaration = {
  ...COMMON,
  client: client({
    defaultType: 'swap',
    fetchMarkets: { types: ['swap'] },
    swap: { fetchMarkets: { settlementCurrencies: ['usdt'] } },
  }),
  market: 'swap',
  clientOrderId: clientOrderId(
    'By the id, for an order without fills until 60 s after its end; then the lists of orders by time.',
    'If no list has the id within eight minutes of the sending. Later, an order without fills may be forgotten.',
  ),
  rateLimits: rateLimits('futures', 500),
  openOrdersLockBalances: false,
  orders: futuresOrders,
  fills: futuresFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectGate(ccxt, 'perpetual'),
    fetchBalances: ({ ccxt }) => fetchFuturesBalances(ccxt),
  },
  positions: gatePositions,
  nativeRules: (info) => {
    parseResponse(futuresMarket, info);
    return NATIVE_RULES;
  },
  accountStream: futuresAccountStream,
  marketStream: futuresMarketStream,
};

const permit = (...needed: readonly string[]): KeyPermissions => ({
  needed: [...needed, 'Account: read only'],
  refused: ['Withdraw', 'Wallet'],
  notes: ['Create an APIv4 key for the trading account.'],
});

export const gate: VenueDeclaration = {
  id: 'gate',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: false,
    permissions: {
      spot: permit('Spot trade: read and write', 'Unified account: read only'),
      margin: permit('Spot trade: read and write', 'Unified account: read and write'),
      perpetual: permit('Perpetual futures: read and write', 'Unified account: read only'),
    },
  },
  tradingTypes: { spot: spot('spot', 'spot'), margin: spot('margin', 'unified'), perpetual },
};
