/** KuCoin's classic accounts: https://www.kucoin.com/docs-new/introduction */
import type { TimeInForce, TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import type { KeyPermissions } from '../../port.js';
import {
  fetchFuturesBalances,
  fetchMarginBalances,
  fetchSpotBalances,
  inspectKucoin,
  kucoinLoans,
} from './account.js';
import { prepareKucoin } from './client.js';
import { futuresFills, futuresOrders } from './futures-calls.js';
import { futuresMarketStream, spotMarketStream } from './market-streams.js';
import { kucoinPositions } from './positions.js';
import { type SpotAccount, spotFills, spotOrders } from './spot-calls.js';
import { futuresAccountStream, spotAccountStream } from './streams.js';

const pair = z.object({ enableTrading: z.boolean() });
const contract = z.object({ settleCurrency: z.literal('USDT'), status: z.string() });

// A triggered stop order continues as another order with another id, so it cannot be followed.
const ORDER_TYPES = ['LIMIT', 'MARKET'] as const;
const SPOT_TIMES: readonly TimeInForce[] = ['GTC', 'IOC', 'FOK', 'POST_ONLY'];
/** The exchange has no FOK orders of futures. */
const FUTURES_TIMES: readonly TimeInForce[] = ['GTC', 'IOC', 'POST_ONLY'];

/** What all trading types have in common. */
const COMMON = {
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: '1 to 40 of letters, digits, `_` and `-`',
    unique: 'AMONG_OPEN_ORDERS',
    repetition: 'REFUSED',
    lookUp: 'By the id, among open and ended orders.',
    absence: 'If the look-up does not find it within a day of the sending.',
  },
  rejectionPatterns: [
    { pattern: /clientOidDuplicated|"code"\s*:\s*"(?:126033|126044)"/, code: 'duplicate_client_order_id' },
    { pattern: /"code"\s*:\s*"(?:103000|210014)"/, code: 'insufficient_balance' },
    { pattern: /"code"\s*:\s*"33001[12]"/, code: 'position_mode' },
    { pattern: /"code"\s*:\s*"(?:300009|330005)"/, code: 'refused' },
    { pattern: /"code"\s*:\s*"(?:100001|100004)"|order_not_exist/, code: 'order_not_found' },
  ],
  orderTypes: ORDER_TYPES,
} as const;

/** @param costsPerWeight ccxt's cost of one unit of the exchange's weight */
const rateLimits = (scope: string, costsPerWeight: number): TradingTypeDeclaration['rateLimits'] => ({
  scope,
  weightOf: (cost) => cost / costsPerWeight,
  // The exchange counts public calls by address, 2,000 in 30 s, and all others by account, from 2,000 in 30 s on.
  weightPerMinute: 12_000,
  account: { weight: 2_000, windowMs: 30_000, weightOf: (cost) => cost / costsPerWeight },
  ordersPer10s: 300,
  pauseOf: ({ status, headers }) => (status === 429 ? Number(headers['gw-ratelimit-reset'] ?? 0) : undefined),
  isAccountLimit: () => true,
  countsAccountTogether: true,
});

const client = (options: Readonly<Record<string, unknown>>): TradingTypeDeclaration['client'] => ({
  load: async () => (await import('ccxt/js/src/pro/kucoin')).default,
  options,
  fixedOptions: {
    // ccxt would ask for the kind of one account, and store it for all of them.
    hf: true,
    uta: false,
    partner: {},
  },
  prepare: prepareKucoin,
});

const BALANCES = { SPOT: fetchSpotBalances, CROSS_MARGIN: fetchMarginBalances };

/** Spot and margin trade the same pairs. */
function spot(type: TradingType, account: SpotAccount): TradingTypeDeclaration {
  return {
    ...COMMON,
    client: client({ defaultType: 'spot', fetchMarkets: { types: ['spot'] } }),
    market: account === 'SPOT' ? 'spot' : 'margin',
    rateLimits: rateLimits('spot', 1),
    openOrdersLockBalances: account === 'SPOT',
    candlesPerResponse: 1_500,
    orders: spotOrders(account),
    fills: spotFills(account),
    account: {
      inspectCredentials: ({ ccxt }) => inspectKucoin(ccxt, type),
      fetchBalances: ({ ccxt }) => BALANCES[account](ccxt),
    },
    loans: account === 'CROSS_MARGIN' ? kucoinLoans : undefined,
    nativeRules: (info) => {
      parseResponse(pair, info);
      return { orderTypes: ORDER_TYPES, timeInForces: SPOT_TIMES };
    },
    accountStream: spotAccountStream(account),
    marketStream: spotMarketStream,
  };
}

const perpetual: TradingTypeDeclaration = {
  ...COMMON,
  client: client({ defaultType: 'swap', fetchMarkets: { types: ['swap'] } }),
  market: 'swap',
  rateLimits: rateLimits('futures', 2),
  openOrdersLockBalances: false,
  candlesPerResponse: 200,
  orders: futuresOrders,
  fills: futuresFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectKucoin(ccxt, 'perpetual'),
    fetchBalances: ({ ccxt }) => fetchFuturesBalances(ccxt),
  },
  positions: kucoinPositions,
  nativeRules: (info) => {
    parseResponse(contract, info);
    return { orderTypes: ORDER_TYPES, timeInForces: FUTURES_TIMES };
  },
  accountStream: futuresAccountStream,
  marketStream: futuresMarketStream,
};

const permit = (type: string): KeyPermissions => ({
  needed: ['General', type],
  refused: ['Transfer', 'Withdrawal'],
  notes: ['Create a key of API-based trading.'],
});

export const kucoin: VenueDeclaration = {
  id: 'kucoin',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: true,
    permissions: { spot: permit('Spot'), margin: permit('Margin'), perpetual: permit('Futures') },
  },
  tradingTypes: { spot: spot('spot', 'SPOT'), margin: spot('margin', 'CROSS_MARGIN'), perpetual },
};
