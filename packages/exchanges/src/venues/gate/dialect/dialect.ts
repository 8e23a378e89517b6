/** Gate's wire format, written from recordings and from https://www.gate.com/docs/developers/apiv4/en/ */
import { createHash, createHmac } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect, VenueAnswer, VenueRequest } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import { publicFuturesRoutes } from './futures-public.js';
import { futuresRoutes } from './futures-routes.js';
import { docs } from './params.js';
import { hasDecimalSizes, withSizes } from './sizes.js';
import { publicRoutes } from './spot-public.js';
import { spotRoutes } from './spot-routes.js';
import { CHANNELS, openGateStream } from './streams.js';

/** Labels of the page; spot and futures have different ones. Null: the page has none. */
const LABELS: Readonly<Partial<Record<RefusalKind, readonly [spot: string | null, futures: string | null]>>> =
  {
    UNKNOWN_KEY: ['INVALID_KEY', 'INVALID_KEY'],
    BAD_SIGNATURE: ['INVALID_SIGNATURE', 'INVALID_SIGNATURE'],
    BAD_TIMESTAMP: ['REQUEST_EXPIRED', 'REQUEST_EXPIRED'],
    NO_PERMISSION: ['READ_ONLY', 'READ_ONLY'],
    UNKNOWN_SYMBOL: ['INVALID_CURRENCY_PAIR', 'CONTRACT_NOT_FOUND'],
    BAD_PARAMETER: ['INVALID_PARAM_VALUE', 'INVALID_PARAM_VALUE'],
    PRICE_TICK: ['INVALID_PRECISION', 'INVALID_PARAM_VALUE'],
    AMOUNT_STEP: ['INVALID_PRECISION', 'INVALID_PARAM_VALUE'],
    MIN_AMOUNT: ['AMOUNT_TOO_LITTLE', 'SIZE_TOO_SMALL'],
    MAX_AMOUNT: ['AMOUNT_TOO_MUCH', 'SIZE_TOO_LARGE'],
    MIN_NOTIONAL: ['INVALID_PARAM_VALUE', null],
    INSUFFICIENT_BALANCE: ['BALANCE_NOT_ENOUGH', 'INSUFFICIENT_AVAILABLE'],
    INSUFFICIENT_MARGIN: ['MARGIN_BALANCE_NOT_ENOUGH', 'INSUFFICIENT_AVAILABLE'],
    BORROW_LIMIT: ['AUTO_BORROW_TOO_MUCH', null],
    WOULD_TAKE: ['POC_FILL_IMMEDIATELY', 'ORDER_POC_IMMEDIATE'],
    WOULD_NOT_FILL: ['FOK_NOT_FILL', 'ORDER_FOK'],
    UNKNOWN_ORDER: ['ORDER_NOT_FOUND', 'ORDER_NOT_FOUND'],
    REDUCE_ONLY: [null, 'REDUCE_EXCEEDED'],
    MAX_LEVERAGE: [null, 'LEVERAGE_TOO_HIGH'],
    OPEN_POSITION: [null, 'POSITION_HOLDING'],
    POSITION_MODE: [null, 'POSITION_DUAL_MODE'],
    RATE_LIMIT: ['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'],
    MAINTENANCE: ['SERVER_ERROR', 'SERVER_ERROR'],
  };

/** A status of 401 means a problem of the authentication, one of 5xx a problem of the exchange. */
const STATUSES: Readonly<Partial<Record<RefusalKind, number>>> = {
  UNKNOWN_KEY: 401,
  BAD_SIGNATURE: 401,
  BAD_TIMESTAMP: 401,
  NO_PERMISSION: 403,
  RATE_LIMIT: 429,
  MAINTENANCE: 503,
};

const CLOCK_S = 60;
const EXPIRY_MS = 5_000;

/** Contracts have no smallest notional. Those of BTC are whole, and the smallest order is larger than one; ETH has a tenth. */
const PERPETUALS = markets('PERPETUAL', {
  contractSize: '0.0001',
  step: '0.0001',
  minAmount: '0.0002',
  minNotional: '0',
}).map((market) => (market.base === 'ETH' ? { ...market, step: '0.00001', minAmount: '0.00001' } : market));

const asReceived = (sent: object, headers: VenueRequest['headers']): object =>
  hasDecimalSizes(headers) ? sent : (withSizes(sent, false) as object);

export const dialect: Dialect = {
  venue: 'gate',
  traits: { placement: 'STATE', reportsPermissions: false },
  settingsFor: (tradingType: TradingType) => ({
    markets: tradingType === 'perpetual' ? PERPETUALS : markets('SPOT', {}),
    spotFeeIn: 'RECEIVED',
    clientOrderIds: 'NOT_UNIQUE',
    postOnlyThatTakes: 'REFUSED',
    interest: 'DEDUCTED',
    credentialsOf: (number) => ({
      apiKey: `gate-key-${number}`,
      apiSecret: `gate-secret-${number}`,
      passphrase: undefined,
    }),
  }),
  routes: [...publicRoutes, ...spotRoutes, ...publicFuturesRoutes, ...futuresRoutes],
  channels: CHANNELS,
  // Without the header, the sizes of orders are truncated, too.
  readParams: ({ query, body, headers }) => ({
    ...Object.fromEntries(new URLSearchParams(query)),
    ...(body === '' ? {} : asReceived(JSON.parse(body), headers)),
  }),
  // https://www.gate.com/docs/developers/apiv4/en/#apiv4-signed-request-requirements
  authenticate: ({ method, path, query, body, headers }, exchange) => {
    const { key, sign, timestamp = '' } = headers;
    const account = exchange.accounts.find(({ apiKey }) => apiKey === key);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    const bodyHash = createHash('sha512').update(body).digest('hex');
    const signed = [method, path, decodeURIComponent(query), bodyHash, timestamp].join('\n');
    const expected = createHmac('sha512', account.apiSecret).update(signed).digest('hex');
    if (sign !== expected) throw new Refusal('BAD_SIGNATURE');
    if (Math.abs(exchange.now() / 1_000 - Number(timestamp)) > CLOCK_S) throw new Refusal('BAD_TIMESTAMP');
    const leftMs = Number(headers['x-gate-exptime']) - exchange.now();
    const isOrder = method === 'POST' && path.endsWith('/orders');
    if (isOrder && !(leftMs > 0 && leftMs <= EXPIRY_MS + 1_000)) throw new Refusal('BAD_TIMESTAMP');
    return account;
  },
  wrap: (answer, { path, headers }) =>
    path.startsWith('/api/v4/futures/') ? withSizes(answer, hasDecimalSizes(headers)) : answer,
  refuse: (kind, { tradingType }): VenueAnswer | undefined => {
    const label = LABELS[kind]?.[tradingType === 'perpetual' ? 1 : 0];
    if (label == null) return undefined;
    const headers = { 'X-Gate-RateLimit-Reset-Timestamp': String(Math.ceil(Date.now() / 1_000) + 1) };
    return {
      status: STATUSES[kind] ?? 400,
      body: { label, message: 'refused' },
      headers: kind === 'RATE_LIMIT' ? headers : undefined,
    };
  },
  refusalPages: [docs('label-list')],
  openStream: openGateStream,
};
