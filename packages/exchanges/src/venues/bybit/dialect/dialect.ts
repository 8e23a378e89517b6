/** Bybit's wire format, written from recordings and from https://bybit-exchange.github.io/docs/v5/intro */
import { createHmac } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect, VenueAnswer } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import { accountRoutes } from './account-routes.js';
import { historyRoutes } from './history-routes.js';
import { publicRoutes } from './market-routes.js';
import { orderRoutes } from './order-routes.js';
import { CHANNELS, openBybitStream } from './streams.js';

/** Codes of https://bybit-exchange.github.io/docs/v5/error; spot and contracts have different ones. */
const CODES: Readonly<Partial<Record<RefusalKind, readonly [spot: number, linear: number]>>> = {
  UNKNOWN_KEY: [10_003, 10_003],
  BAD_SIGNATURE: [10_004, 10_004],
  BAD_TIMESTAMP: [10_002, 10_002],
  NO_PERMISSION: [10_005, 10_005],
  UNKNOWN_SYMBOL: [170_121, 10_001],
  BAD_PARAMETER: [10_001, 10_001],
  POSITION_MODE: [10_001, 10_001],
  PRICE_TICK: [170_134, 10_001],
  AMOUNT_STEP: [170_137, 10_001],
  MIN_AMOUNT: [170_136, 10_001],
  MAX_AMOUNT: [170_135, 10_001],
  MIN_NOTIONAL: [170_140, 110_094],
  INSUFFICIENT_BALANCE: [170_131, 110_007],
  INSUFFICIENT_MARGIN: [170_131, 110_007],
  BORROW_LIMIT: [170_131, 110_007],
  DUPLICATE_CLIENT_ORDER_ID: [170_141, 110_072],
  UNKNOWN_ORDER: [170_213, 110_001],
  REDUCE_ONLY: [110_017, 110_017],
  MAX_LEVERAGE: [110_013, 110_013],
  LEVERAGE_UNCHANGED: [110_043, 110_043],
  OPEN_POSITION: [110_024, 110_024],
  RATE_LIMIT: [10_006, 10_006],
  MAINTENANCE: [10_016, 10_016],
};

/** Texts by which a code has several meanings. */
const MESSAGES: Readonly<Partial<Record<RefusalKind, string>>> = {
  POSITION_MODE: 'position idx not match position mode',
  UNKNOWN_SYMBOL: 'params error: Symbol Is Invalid',
};

const RECEIVE_WINDOW_MS = 5_000;

export const dialect: Dialect = {
  venue: 'bybit',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true },
  settingsFor: (tradingType: TradingType) => ({
    markets: markets(tradingType === 'perpetual' ? 'PERPETUAL' : 'SPOT', {
      makerFee: '0.001',
      takerFee: '0.001',
    }),
    spotFeeIn: 'RECEIVED',
    clientOrderIds: 'UNIQUE_FOR_EVER',
    postOnlyThatTakes: 'EXPIRES',
    credentialsOf: (number) => ({
      apiKey: `bybit-key-${number}`,
      apiSecret: `bybit-secret-${number}`,
      passphrase: undefined,
    }),
  }),
  routes: [...publicRoutes, ...accountRoutes, ...orderRoutes, ...historyRoutes],
  channels: CHANNELS,
  readParams: ({ method, query, body }) =>
    method === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : JSON.parse(body),
  // https://bybit-exchange.github.io/docs/v5/guide#authentication
  authenticate: ({ method, query, body, headers }, exchange) => {
    const key = headers['x-bapi-api-key'];
    const account = exchange.accounts.find(({ apiKey }) => apiKey === key);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    const { 'x-bapi-timestamp': timestamp = '', 'x-bapi-recv-window': window = '' } = headers;
    const signed = `${timestamp}${key}${window}${method === 'GET' ? query : body}`;
    const expected = createHmac('sha256', account.apiSecret).update(signed).digest('hex');
    if (headers['x-bapi-sign'] !== expected) throw new Refusal('BAD_SIGNATURE');
    const isLate = Math.abs(exchange.now() - Number(timestamp)) > RECEIVE_WINDOW_MS;
    if (isLate || window !== String(RECEIVE_WINDOW_MS)) throw new Refusal('BAD_TIMESTAMP');
    return account;
  },
  wrap: (result) => ({ retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: Date.now() }),
  refuse: (kind, { tradingType }): VenueAnswer | undefined => {
    const code = CODES[kind]?.[tradingType === 'perpetual' ? 1 : 0];
    if (code === undefined) return undefined;
    const headers = { 'x-bapi-limit-reset-timestamp': String(Date.now() + 1_000) };
    const body = {
      retCode: code,
      retMsg: MESSAGES[kind] ?? 'refused',
      result: {},
      retExtInfo: {},
      time: Date.now(),
    };
    return { status: 200, body, headers: kind === 'RATE_LIMIT' ? headers : undefined };
  },
  refusalPages: ['https://bybit-exchange.github.io/docs/v5/error'],
  openStream: openBybitStream,
};
