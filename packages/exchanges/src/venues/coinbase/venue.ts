/** Coinbase Advanced Trade: https://docs.cdp.coinbase.com/coinbase-app/advanced-trade-apis/overview */
import type { TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { NativeMarketRules, TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { parseResponse } from '../../ccxt/parse-response.js';
import { fetchCoinbaseBalances, inspectCoinbaseKey, withoutZeros } from './account.js';
import { coinbaseFills, coinbaseOrders } from './calls.js';
import { prepareCoinbase } from './client.js';
import { accountStream, marketStream } from './streams.js';

/** Stop orders are left out: nothing recorded or documented shows that a triggered one keeps its ids. */
const ORDER_TYPES: readonly TradeType[] = ['LIMIT', 'MARKET'];

const market = z.object({ product_type: z.literal('SPOT'), limit_only: z.boolean() });

function nativeRulesOf(info: unknown): NativeMarketRules {
  const { limit_only } = parseResponse(market, info);
  return {
    orderTypes: limit_only ? ['LIMIT'] : ORDER_TYPES,
    timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'],
  };
}

const spot: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/coinbase')).default,
    options: { defaultType: 'spot' },
    fixedOptions: {},
    prepare: prepareCoinbase,
  },
  market: 'spot',
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: 'Any string that is unique',
    unique: 'FOR_EVER',
    repetition: 'RETURNS_FIRST',
    lookUp: 'The orders since the order was sent are listed by time.',
    absence: 'If the list does not have the order. Without the time of sending, absence is not known.',
  },
  rateLimits: {
    // 30 signed calls of a user in a second, or 10 public ones of an address, which ccxt counts threefold.
    weightOf: (cost) => cost,
    weightPerMinute: 1_800,
    account: { weight: 180, windowMs: 6_000, weightOf: (cost) => cost },
    ordersPer10s: 100,
    isAccountLimit: () => false,
    pauseOf: ({ status }) => (status === 429 ? 1_000 : undefined),
  },
  rejectionPatterns: [{ pattern: /order with this orderID was not found/, code: 'order_not_found' }],
  orderTypes: ORDER_TYPES,
  openOrdersLockBalances: true,
  candlesPerResponse: 300,
  orders: coinbaseOrders,
  fills: coinbaseFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectCoinbaseKey(ccxt),
    fetchBalances: async ({ ccxt }) => withoutZeros(await fetchCoinbaseBalances(ccxt)),
  },
  nativeRules: nativeRulesOf,
  accountStream,
  marketStream,
};

export const coinbase: VenueDeclaration = {
  id: 'coinbase',
  credentials: {
    secret: 'EC_PRIVATE_KEY',
    hasPassphrase: false,
    permissions: {
      spot: {
        needed: ['View', 'Trade'],
        refused: ['Transfer'],
        notes: [
          'Change the type of the key to ECDSA. Coinbase refuses the default, Ed25519, for trading.',
          'Enter the name of the key as the API key.',
        ],
      },
    },
  },
  // Perpetuals are left out: a single position was recorded, and no funding, leverage or margin that could be compared.
  tradingTypes: { spot },
  notOffered: {
    margin: 'The exchange lends no balances to accounts of this API.',
    perpetual: 'Funding, leverage and margin are neither recorded nor documented well enough to be proven.',
  },
};
