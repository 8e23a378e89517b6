/** Bitget's wire format, written from recordings and from https://www.bitget.com/api-doc/uta/intro */
import { createHmac } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect, VenueAnswer } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import { accountRoutes } from './account-routes.js';
import { publicRoutes } from './public-routes.js';
import { CHANNELS, openBitgetStream } from './streams.js';
import { tradingRoutes } from './trading-routes.js';

/** Codes of https://www.bitget.com/api-doc/uta/error-code/restapi. The page names no HTTP status; it is 400. */
const CODES: Readonly<Partial<Record<RefusalKind, string>>> = {
  UNKNOWN_KEY: '40006',
  BAD_SIGNATURE: '40009',
  BAD_TIMESTAMP: '40008',
  NO_PERMISSION: '25620',
  UNKNOWN_SYMBOL: '25100',
  BAD_PARAMETER: '25200',
  POSITION_MODE: '25236',
  PRICE_TICK: '25244',
  AMOUNT_STEP: '25610',
  MIN_AMOUNT: '25207',
  MAX_AMOUNT: '25208',
  MIN_NOTIONAL: '25611',
  INSUFFICIENT_BALANCE: '25202',
  INSUFFICIENT_MARGIN: '25203',
  DUPLICATE_CLIENT_ORDER_ID: '25212',
  UNKNOWN_ORDER: '25204',
  BORROW_LIMIT: '25219',
  REDUCE_ONLY: '25227',
  MAX_LEVERAGE: '25223',
  OPEN_POSITION: '25107',
  RATE_LIMIT: '429',
  MAINTENANCE: '25106',
};

const REQUEST_LIFE_MS = 30_000;

export const dialect: Dialect = {
  venue: 'bitget',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true, interestIsPartOfLoan: true },
  settingsFor: (tradingType: TradingType) => ({
    markets: markets(tradingType === 'perpetual' ? 'PERPETUAL' : 'SPOT', {}),
    spotFeeIn: 'RECEIVED',
    clientOrderIds: 'UNIQUE_AMONG_OPEN',
    postOnlyThatTakes: 'EXPIRES',
    credentialsOf: (number) => ({
      apiKey: `bitget-key-${number}`,
      apiSecret: `bitget-secret-${number}`,
      passphrase: `bitget-passphrase-${number}`,
    }),
  }),
  routes: [...publicRoutes, ...accountRoutes, ...tradingRoutes],
  channels: CHANNELS,
  readParams: ({ method, query, body }) =>
    method === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : JSON.parse(body),
  // https://www.bitget.com/api-doc/common/signature
  authenticate: ({ method, path, query, body, headers }, exchange) => {
    const account = exchange.accounts.find(({ apiKey }) => apiKey === headers['access-key']);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    const timestamp = headers['access-timestamp'] ?? '';
    const signed = `${timestamp}${method}${path}${query === '' ? '' : `?${query}`}${body}`;
    const expected = createHmac('sha256', account.apiSecret).update(signed).digest('base64');
    const isSigned = headers['access-sign'] === expected;
    if (!isSigned || headers['access-passphrase'] !== account.passphrase) throw new Refusal('BAD_SIGNATURE');
    if (!(Math.abs(exchange.now() - Number(timestamp)) <= REQUEST_LIFE_MS))
      throw new Refusal('BAD_TIMESTAMP');
    return account;
  },
  wrap: (data) => ({ code: '00000', msg: 'success', requestTime: Date.now(), data }),
  refuse: (kind): VenueAnswer | undefined => {
    const code = CODES[kind];
    if (code === undefined) return undefined;
    const body = { code, msg: 'refused', requestTime: Date.now(), data: null };
    return { status: kind === 'RATE_LIMIT' ? 429 : 400, body };
  },
  refusalPages: ['https://www.bitget.com/api-doc/uta/error-code/restapi'],
  openStream: openBitgetStream,
};
