/** OKX's wire format, written from recordings and from https://www.okx.com/docs-v5/en/ */
import { createHmac } from 'node:crypto';
import type { TradingType } from '@trading-automation/contracts';
import type { Dialect, VenueAnswer } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import { Refusal, type RefusalKind } from '../../../../conformance/scripted/model.js';
import { accountRoutes } from './account-routes.js';
import { publicRoutes } from './public-routes.js';
import { CHANNELS, openOkxStream } from './streams.js';
import { tradingRoutes } from './trading-routes.js';

/** Errors of every call, with their HTTP status: https://www.okx.com/docs-v5/en/#error-code-rest-api */
const COMMON: Readonly<Partial<Record<RefusalKind, readonly [status: number, code: string]>>> = {
  UNKNOWN_KEY: [401, '50119'],
  BAD_SIGNATURE: [401, '50113'],
  BAD_TIMESTAMP: [401, '50102'],
  NO_PERMISSION: [401, '50120'],
  BAD_PARAMETER: [400, '51000'],
  RATE_LIMIT: [429, '50011'],
  MAINTENANCE: [503, '50001'],
  MAX_LEVERAGE: [200, '59102'],
  OPEN_POSITION: [200, '59000'],
};

/** Errors of orders, which the exchange reports within a successful response. */
const OF_ORDERS: Readonly<Partial<Record<RefusalKind, string>>> = {
  ORDER_EXPIRED: '50036',
  UNKNOWN_SYMBOL: '51001',
  POSITION_MODE: '51000',
  AMOUNT_STEP: '51121',
  MIN_AMOUNT: '51020',
  MAX_AMOUNT: '51203',
  INSUFFICIENT_BALANCE: '51008',
  INSUFFICIENT_MARGIN: '51008',
  BORROW_LIMIT: '51017',
  DUPLICATE_CLIENT_ORDER_ID: '51016',
  UNKNOWN_ORDER: '51400',
  REDUCE_ONLY: '51169',
};

/** Texts by which a code has several meanings. */
const MESSAGES: Readonly<Partial<Record<RefusalKind, string>>> = {
  POSITION_MODE: 'Parameter posSide error ',
};

/** A request is valid for 30 s, and an order until the time in its header. */
const REQUEST_LIFE_MS = 30_000;
const ORDER_LIFE_MS = 5_000;

function refuse(kind: RefusalKind, path: string): VenueAnswer | undefined {
  const common = COMMON[kind];
  if (common !== undefined)
    return { status: common[0], body: { code: common[1], msg: MESSAGES[kind] ?? 'refused', data: [] } };
  const code = OF_ORDERS[kind];
  if (code === undefined) return undefined;
  // A look-up names the error in another place, and with another code, than an order or cancellation.
  if (path === '/api/v5/trade/order' && kind === 'UNKNOWN_ORDER')
    return { status: 200, body: { code: '51603', msg: 'Order does not exist', data: [] } };
  const result = { clOrdId: '', ordId: '', tag: '', sCode: code, sMsg: MESSAGES[kind] ?? 'refused' };
  return { status: 200, body: { code: '1', msg: 'All operations failed', data: [result] } };
}

export const dialect: Dialect = {
  venue: 'okx',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true },
  settingsFor: (tradingType: TradingType) => ({
    markets: markets(tradingType === 'perpetual' ? 'PERPETUAL' : 'SPOT', {
      minAmount: '0.001',
      // The exchange has a minimum amount alone.
      minNotional: '0',
      contractSize: tradingType === 'perpetual' ? '0.01' : '1',
    }),
    spotFeeIn: 'RECEIVED',
    clientOrderIds: 'UNIQUE_AMONG_OPEN',
    postOnlyThatTakes: 'EXPIRES',
    credentialsOf: (number) => ({
      apiKey: `okx-${tradingType}-${number}`,
      apiSecret: `okx-secret-${number}`,
      passphrase: `okx-passphrase-${number}`,
    }),
  }),
  routes: [...publicRoutes, ...accountRoutes, ...tradingRoutes],
  channels: CHANNELS,
  readParams: ({ method, query, body }) =>
    method === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : JSON.parse(body),
  // https://www.okx.com/docs-v5/en/#overview-rest-authentication
  authenticate: ({ method, path, query, body, headers }, exchange) => {
    const account = exchange.accounts.find(({ apiKey }) => apiKey === headers['ok-access-key']);
    if (account === undefined) throw new Refusal('UNKNOWN_KEY');
    const timestamp = headers['ok-access-timestamp'] ?? '';
    const signed = `${timestamp}${method}${path}${query === '' ? '' : `?${query}`}${body}`;
    const expected = createHmac('sha256', account.apiSecret).update(signed).digest('base64');
    const isSigned = headers['ok-access-sign'] === expected;
    if (!isSigned || headers['ok-access-passphrase'] !== account.passphrase)
      throw new Refusal('BAD_SIGNATURE');
    if (!(Math.abs(exchange.now() - Date.parse(timestamp)) <= REQUEST_LIFE_MS))
      throw new Refusal('BAD_TIMESTAMP');
    // https://www.okx.com/docs-v5/en/#overview-general-info: the exchange drops an order after this time.
    const remainingMs = Number(headers.exptime) - exchange.now();
    const isOrder = method === 'POST' && path === '/api/v5/trade/order';
    if (isOrder && remainingMs <= 0) throw new Refusal('ORDER_EXPIRED');
    if (isOrder && !(remainingMs <= ORDER_LIFE_MS)) throw new Refusal('BAD_PARAMETER');
    return account;
  },
  wrap: (answer) =>
    Array.isArray(answer)
      ? { code: '0', msg: '', data: answer }
      : { code: '0', msg: '', ...(answer as object) },
  refuse: (kind, { path }) => refuse(kind, path),
  refusalPages: ['https://www.okx.com/docs-v5/en/#error-code'],
  openStream: openOkxStream,
};
