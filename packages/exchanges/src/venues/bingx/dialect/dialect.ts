/** BingX's wire format, written from recordings and from https://bingx-api.github.io/docs-v3/ */
import type { Dialect, VenueAnswer } from '../../../../conformance/scripted/dialect.js';
import { markets } from '../../../../conformance/scripted/markets.js';
import type { RefusalKind } from '../../../../conformance/scripted/model.js';
import { ACCESS_PARAMS, authenticate } from './access.js';
import { publicRoutes } from './public-routes.js';
import { signedRoutes } from './signed-routes.js';
import { CHANNELS, openStream } from './streams.js';
import { docs, reference } from './views.js';

type RefusalError = readonly [code: number, message: string];

const TOO_SMALL: RefusalError = [
  100_400,
  ' check limit entrust value fail, entrust volume too low, userID: 1, minVolume:10, entrustVolume: 6',
];
/** The page has this code for every wrong parameter, and no text for most of them. */
const WRONG_PARAMETER: RefusalError = [100_400, 'Invalid parameter'];

/** The codes and texts of the pages. Prices and amounts between two steps are truncated, not refused. */
const ERRORS: Readonly<Partial<Record<RefusalKind, RefusalError>>> = {
  UNKNOWN_KEY: [100_413, 'Incorrect API key'],
  BAD_SIGNATURE: [100_001, 'Signature verification failed'],
  BAD_TIMESTAMP: [100_421, 'Null timestamp or timestamp mismatch'],
  NO_PERMISSION: [100_004, 'The API key does not have the required trading permission'],
  UNKNOWN_SYMBOL: [100_421, ' CheckUserAndSymbol: contract not exist'],
  BAD_PARAMETER: WRONG_PARAMETER,
  MIN_AMOUNT: TOO_SMALL,
  MIN_NOTIONAL: TOO_SMALL,
  MAX_AMOUNT: WRONG_PARAMETER,
  INSUFFICIENT_BALANCE: [100_202, 'Insufficient assets, please verify the assets status'],
  UNKNOWN_ORDER: [
    100_400,
    'the order you want to cancel is FILLED or CANCELLED already, or is not a valid order id ,please verify',
  ],
  RATE_LIMIT: [100_410, 'Request rate limit exceeded'],
  MAINTENANCE: [100_500, 'The current system is busy, please try again later'],
};

export const dialect: Dialect = {
  venue: 'bingx',
  traits: {
    placement: 'ACKNOWLEDGEMENT',
    reportsPermissions: true,
    reportsTimeInForce: false,
    streamsBalances: false,
  },
  settingsFor: () => ({
    markets: markets('SPOT', {}),
    spotFeeIn: 'RECEIVED',
    // The page says that ids must differ, and names no error.
    clientOrderIds: 'NOT_UNIQUE',
    // The page has the time in force, and does not say what becomes of such an order.
    postOnlyThatTakes: 'ENDS',
    credentialsOf: (number) => ({
      apiKey: `bingx-key-${number}`,
      apiSecret: `bingx-secret-${number}`,
      passphrase: undefined,
    }),
  }),
  routes: [...publicRoutes, ...signedRoutes],
  channels: CHANNELS,
  readParams: ({ query }) => {
    const params = [...new URLSearchParams(query)];
    return Object.fromEntries(params.filter(([name]) => !ACCESS_PARAMS.includes(name)));
  },
  authenticate,
  wrap: (answer) => answer,
  refuse: (kind): VenueAnswer | undefined => {
    const error = ERRORS[kind];
    // Refusals have the status of a success.
    return error && { status: 200, body: { code: error[0], msg: error[1], debugMsg: '' } };
  },
  refusalPages: [
    reference('references/error-codes'),
    docs('Spot/Trades%20Endpoints/Place%20order'),
    docs('Quick%20Start/Basic%20Information'),
  ],
  compressesStream: () => true,
  openStream,
};
