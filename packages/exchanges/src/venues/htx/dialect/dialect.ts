/** HTX's wire format, written from recordings and from https://huobiapi.github.io/docs/spot/v1/en/ */
import type { Dialect, VenueAnswer } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import type { RefusalKind } from '../../../../conformance/scripted/model.js';
import { ACCESS_PARAMS, authenticate } from './access.js';
import { publicRoutes } from './public-routes.js';
import { signedRoutes } from './signed-routes.js';
import { CHANNELS, compressesStream, openStream } from './streams.js';
import { docs } from './views.js';

const signature = (reason: string) => ['api-signature-not-valid', `Signature not valid: ${reason}`] as const;

/** The codes of the page, with the texts of those that share one. */
const ERRORS: Readonly<Partial<Record<RefusalKind, readonly [code: string, message: string]>>> = {
  UNKNOWN_KEY: signature('Incorrect Access key [Access key错误]'),
  BAD_SIGNATURE: signature('Verification failure [校验失败]'),
  BAD_TIMESTAMP: signature('无效的提交时间'),
  NO_PERMISSION: signature('API key has no permission [API Key没有权限]'),
  UNKNOWN_SYMBOL: ['base-symbol-error', 'The symbol is invalid'],
  BAD_PARAMETER: ['base-argument-unsupported', 'The specified parameter is not supported'],
  PRICE_TICK: ['order-orderprice-precision-error', 'order price precision error, scale: `2`'],
  AMOUNT_STEP: ['order-orderamount-precision-error', 'order amount precision error, scale: `5`'],
  MIN_AMOUNT: ['order-limitorder-amount-min-error', 'limit order amount error, min: `0.00001`'],
  MAX_AMOUNT: ['order-limitorder-amount-max-error', 'limit order amount error, max: `9000`'],
  MIN_NOTIONAL: ['order-value-min-error', 'Order total cannot be lower than: 10 USDT'],
  INSUFFICIENT_BALANCE: ['order-accountbalance-error', 'account balance error'],
  DUPLICATE_CLIENT_ORDER_ID: ['invalid-client-order-id', 'invalid client order id'],
  UNKNOWN_ORDER: ['base-record-invalid', 'record invalid'],
  RATE_LIMIT: ['rate-too-many-requests', 'exceeded rate limit'],
  MAINTENANCE: ['base-system-error', 'system error'],
};

/** The codes of calls whose address begins with `/v2`. */
const CODES: Readonly<Partial<Record<RefusalKind, readonly [code: number, message: string]>>> = {
  UNKNOWN_KEY: [1003, 'unauthorized'],
  BAD_SIGNATURE: [1003, 'unauthorized'],
  NO_PERMISSION: [1002, 'forbidden'],
  BAD_PARAMETER: [2002, 'invalid field value'],
  MAINTENANCE: [500, 'system error'],
};

export const dialect: Dialect = {
  venue: 'htx',
  traits: { placement: 'ACKNOWLEDGEMENT', reportsPermissions: true, streamsBalances: false },
  settingsFor: () => ({
    markets: markets('SPOT', {}),
    spotFeeIn: 'RECEIVED',
    clientOrderIds: 'NOT_UNIQUE',
    // The page says that it is rejected, and names no error.
    postOnlyThatTakes: 'ENDS',
    credentialsOf: (number) => ({
      apiKey: `htx-key-${number}`,
      apiSecret: `htx-secret-${number}`,
      passphrase: undefined,
    }),
  }),
  routes: [...publicRoutes, ...signedRoutes],
  channels: CHANNELS,
  readParams: ({ method, query, body }) => {
    if (method === 'POST') return JSON.parse(body);
    const params = Object.entries(Object.fromEntries(new URLSearchParams(query)));
    return Object.fromEntries(params.filter(([name]) => !ACCESS_PARAMS.includes(name)));
  },
  authenticate,
  wrap: (answer) => answer,
  refuse: (kind, { path }): VenueAnswer | undefined => {
    const numbered = path.startsWith('/v2/') ? CODES[kind] : undefined;
    if (numbered !== undefined) return { status: 200, body: { code: numbered[0], message: numbered[1] } };
    const error = ERRORS[kind];
    if (error === undefined) return undefined;
    const [code, message] = error;
    // Refusals have the status of a success.
    return { status: 200, body: { status: 'error', 'err-code': code, 'err-msg': message, data: null } };
  },
  refusalPages: [
    docs('error-code-7'),
    docs('error-code-5'),
    docs('error-code-9'),
    docs('rate-limiting-rule'),
    docs('q7-why-the-api-return-39-incorrect-access-key-39'),
    'https://github.com/huobiapi/REST-API-demos/issues/4',
    'https://github.com/HuobiRDCenter/huobi_Python/issues/7',
  ],
  compressesStream,
  openStream,
};
