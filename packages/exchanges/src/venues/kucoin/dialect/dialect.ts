/** KuCoin's wire format, written from recordings and from https://www.kucoin.com/docs-new/introduction */
import { createHmac } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect, VenueAnswer } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import { accountRoutes } from './account-routes.js';
import { publicFuturesRoutes } from './futures-public.js';
import { futuresRoutes } from './futures-routes.js';
import { tokenRoutes } from './params.js';
import { clockRoute, publicSpotRoutes } from './spot-public.js';
import { spotRoutes } from './spot-routes.js';
import { CHANNELS, openKucoinStream } from './streams.js';

type Error = readonly [code: string, message: string];

const same = (code: string, message: string): readonly [Error, Error] => [
  [code, message],
  [code, message],
];

/** Errors of spot and of futures. Null: the pages have none. */
const ERRORS: Readonly<Partial<Record<RefusalKind, readonly [spot: Error | null, futures: Error | null]>>> = {
  UNKNOWN_KEY: same('400003', 'KC-API-KEY not exists'),
  BAD_SIGNATURE: same('400005', 'Invalid KC-API-SIGN'),
  BAD_TIMESTAMP: same('400002', 'Invalid KC-API-TIMESTAMP'),
  NO_PERMISSION: same('400007', 'Access denied --> Require more permission.'),
  UNKNOWN_SYMBOL: [['400600', 'validation.createOrder.symbolNotAvailable'], null],
  BAD_PARAMETER: same('400100', 'Parameter error'),
  PRICE_TICK: [
    ['400100', 'Price increment invalid.'],
    ['400100', 'Price parameter invalid.'],
  ],
  AMOUNT_STEP: [
    ['600100', 'Order size increment invalid.'],
    ['400100', 'Size parameter invalid.'],
  ],
  MIN_AMOUNT: same('400100', 'Order size below the minimum requirement.'),
  MAX_AMOUNT: same('400100', 'Order size above the maximum requirement.'),
  MIN_NOTIONAL: [['600101', 'The order funds should more then 0.1 USDT.'], null],
  INSUFFICIENT_BALANCE: [
    ['200004', 'Balance insufficient!'],
    ['300003', 'Insufficient balance.'],
  ],
  INSUFFICIENT_MARGIN: [
    ['200004', 'Balance insufficient!'],
    ['330008', 'Reached the maximum open limit.'],
  ],
  BORROW_LIMIT: [['103000', 'Exceed the borrowing limit'], null],
  DUPLICATE_CLIENT_ORDER_ID: same('400100', 'validation.createOrder.clientOidDuplicated'),
  UNKNOWN_ORDER: [
    ['400100', 'order_not_exist_or_not_allow_to_cancel'],
    ['100001', 'error.getOrder.orderNotExist'],
  ],
  REDUCE_ONLY: [null, ['300009', 'No open positions to close.']],
  MAX_LEVERAGE: [null, ['400100', 'Leverage parameter invalid.']],
  POSITION_MODE: [
    null,
    ['330012', 'Your order is in One-Way Mode, while your account is set to Hedge Mode.'],
  ],
  RATE_LIMIT: same('429000', 'Too Many Requests'),
  MAINTENANCE: same('503', 'Service Unavailable'),
};

const STATUSES: Readonly<Partial<Record<RefusalKind, number>>> = {
  UNKNOWN_KEY: 401,
  BAD_SIGNATURE: 401,
  RATE_LIMIT: 429,
  MAINTENANCE: 503,
};

const CLOCK_MS = 5_000;
const mac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('base64');

export const dialect: Dialect = {
  venue: 'kucoin',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true },
  settingsFor: (tradingType: TradingType) => ({
    markets:
      tradingType === 'perpetual'
        ? // Contracts have no smallest notional.
          markets('PERPETUAL', {
            contractSize: '0.001',
            step: '0.001',
            minAmount: '0.001',
            minNotional: '0',
          })
        : markets('SPOT', {}),
    spotFeeIn: 'QUOTE',
    clientOrderIds: 'UNIQUE_AMONG_OPEN',
    postOnlyThatTakes: 'ENDS',
    hasFok: tradingType !== 'perpetual',
    credentialsOf: (number) => ({
      apiKey: `${tradingType}-key-${number}`,
      apiSecret: `kucoin-secret-${number}`,
      passphrase: `kucoin-passphrase-${number}`,
    }),
  }),
  routes: [
    clockRoute,
    ...tokenRoutes,
    ...publicSpotRoutes,
    ...spotRoutes,
    ...publicFuturesRoutes,
    ...futuresRoutes,
    ...accountRoutes,
  ],
  channels: CHANNELS,
  readParams: ({ query, body }) => ({
    ...Object.fromEntries(new URLSearchParams(query)),
    ...(body === '' ? {} : JSON.parse(body)),
  }),
  // https://www.kucoin.com/docs-new/authentication
  authenticate: ({ method, path, query, body, headers }, exchange) => {
    const account = exchange.accounts.find(({ apiKey }) => apiKey === headers['kc-api-key']);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    const { apiSecret, passphrase = '' } = account;
    const { 'kc-api-timestamp': timestamp = '', 'kc-api-key-version': version = '' } = headers;
    const signed = `${timestamp}${method}${path}${query === '' ? '' : `?${query}`}${body}`;
    if (headers['kc-api-sign'] !== mac(signed, apiSecret)) throw new Refusal('BAD_SIGNATURE');
    // The passphrase of keys of the versions 2 and 3 is signed.
    const isSigned = headers['kc-api-passphrase'] === mac(passphrase, apiSecret);
    if (!isSigned || !['2', '3'].includes(version)) throw new Refusal('BAD_SIGNATURE');
    if (Math.abs(exchange.now() - Number(timestamp)) > CLOCK_MS) throw new Refusal('BAD_TIMESTAMP');
    return account;
  },
  wrap: (data) => ({ code: '200000', data }),
  refuse: (kind, { tradingType }): VenueAnswer | undefined => {
    const error = ERRORS[kind]?.[tradingType === 'perpetual' ? 1 : 0];
    if (error == null) return undefined;
    const [code, msg] = error;
    const headers = {
      'gw-ratelimit-limit': '2000',
      'gw-ratelimit-remaining': '0',
      'gw-ratelimit-reset': '500',
    };
    return {
      status: STATUSES[kind] ?? 200,
      body: { code, msg },
      headers: kind === 'RATE_LIMIT' ? headers : undefined,
    };
  },
  refusalPages: ['https://www.kucoin.com/docs-new/error-code'],
  openStream: openKucoinStream,
};
