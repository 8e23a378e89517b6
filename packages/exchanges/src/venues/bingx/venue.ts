/** BingX: https://bingx-api.github.io/docs-v3/ */
import type { TradingTypeDeclaration, VenueDeclaration } from '../../ccxt/declaration.js';
import { PRICE_TOO_FAR } from '../../ccxt/rule-messages.js';
import { fetchBingxBalances, inspectBingx } from './account.js';
import { bingxOrders } from './calls.js';
import { CANDLES_MAX, prepareBingx } from './client.js';
import { bingxFills } from './fills.js';
import { bingxMarketStream } from './market-streams.js';
import { bingxAccountStream } from './streams.js';

// Stop orders are left out: nothing recorded or documented shows that a triggered one keeps its ids.
const ORDER_TYPES = ['LIMIT', 'MARKET'] as const;

const RATE_LIMITED = /"code"\s*:\s*100410\b/;
/** The window of the rate limits per address. */
const WINDOW_MS = 10_000;

const spot: TradingTypeDeclaration = {
  client: {
    load: async () => (await import('ccxt/js/src/pro/bingx')).default,
    options: { defaultType: 'spot' },
    fixedOptions: {},
    prepare: prepareBingx,
  },
  market: 'spot',
  clientOrderId: {
    prefix: 'ta',
    length: 36,
    accepts: '1 to 40 of letters, digits and `_`',
    unique: 'NOT_ENFORCED',
    repetition: 'PLACES_ANOTHER',
    lookUp: 'By the id, for two hours; then the open orders and the list of ended orders.',
    absence: 'If no look-up finds it within 100 minutes of the sending. Later, absence is not known.',
  },
  rateLimits: {
    // An address has 1,000 public calls a minute. The limits of signed calls are higher.
    weightOf: () => 1,
    weightPerMinute: 1_000,
    ordersPer10s: 100,
    isAccountLimit: () => true,
    pauseOf: ({ headers, body }) => {
      if (!RATE_LIMITED.test(body)) return undefined;
      const pauseMs = Number(headers['x-ratelimit-requests-expire']) - Date.now();
      return pauseMs > 0 ? pauseMs : WINDOW_MS;
    },
  },
  rejectionPatterns: [{ pattern: /"code"\s*:\s*100440\b/, code: 'rule_violated', message: PRICE_TOO_FAR }],
  orderTypes: ORDER_TYPES,
  openOrdersLockBalances: true,
  candlesPerResponse: CANDLES_MAX,
  orders: bingxOrders,
  fills: bingxFills,
  account: {
    inspectCredentials: ({ ccxt }) => inspectBingx(ccxt),
    fetchBalances: ({ ccxt }) => fetchBingxBalances(ccxt),
  },
  nativeRules: () => ({ orderTypes: ORDER_TYPES, timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'] }),
  accountStream: bingxAccountStream,
  marketStream: bingxMarketStream,
};

export const bingx: VenueDeclaration = {
  id: 'bingx',
  credentials: {
    secret: 'HMAC_SECRET',
    hasPassphrase: false,
    permissions: {
      spot: {
        needed: ['Read', 'Spot Trading'],
        refused: ['Withdraw'],
        notes: ['Enter the network addresses of your deployment, as BingX recommends.'],
      },
    },
  },
  tradingTypes: { spot },
  notOffered: {
    margin: 'The exchange documents no orders with borrowed balances.',
    perpetual: 'Not proven yet.',
  },
};
