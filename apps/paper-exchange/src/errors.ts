/**
 * An error response in the venue's format: `code` and `message` are `{"code", "msg"}` on the wire, `status` is the HTTP
 * status. Every error that a client can cause is a `VenueError`; any other exception is an internal error.
 */
export class VenueError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly status = 400,
    /** The value of the `Retry-After` header, if any. */
    readonly retryAfterSeconds?: number,
    /** More about the error, such as the halves of an operation that partly failed. */
    readonly data?: object,
  ) {
    super(message);
    this.name = 'VenueError';
  }
}

export const VENUE_ERRORS = {
  disconnected: () =>
    new VenueError(-1001, 'Internal error; unable to process your request. Please try again.', 503),
  /** The request may have taken effect. */
  unknownOutcome: () =>
    new VenueError(
      -1007,
      'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
      504,
    ),
  maintenance: () => new VenueError(1, 'System is under maintenance.', 503),
  tooMuchWeight: (limit: number, retryAfterSeconds?: number) =>
    new VenueError(
      -1003,
      `Too much request weight used; current limit is ${limit} request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.`,
      429,
      retryAfterSeconds,
    ),
  tooManyOrders: (limit: string, retryAfterSeconds: number) =>
    new VenueError(-1015, `Too many new orders; current limit is ${limit}.`, 429, retryAfterSeconds),
  unsupportedCombination: () => new VenueError(-1014, 'Unsupported order combination.'),
  /** What the paper exchange does not simulate. */
  unsupported: (status = 400) => new VenueError(-1020, 'This operation is not supported.', status),
  invalidTimestamp: () => new VenueError(-1021, 'Timestamp for this request is outside of the recvWindow.'),
  invalidSignature: () => new VenueError(-1022, 'Signature for this request is not valid.'),
  malformed: (name: string) => new VenueError(-1100, `Illegal characters found in parameter '${name}'.`),
  repeatedParam: () => new VenueError(-1101, 'Duplicate values for a parameter detected.'),
  missing: (name: string) =>
    new VenueError(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`),
  missingBoth: (one: string, other: string) =>
    new VenueError(-1102, `Param '${one}' or '${other}' must be sent, but both were empty/null!`),
  invalidHost: (problem: string) => new VenueError(-1102, problem),
  unread: (readCount: number, sentCount: number) =>
    new VenueError(
      -1104,
      `Not all sent parameters were read; read '${readCount}' parameter(s) but was sent '${sentCount}'.`,
    ),
  empty: (name: string) => new VenueError(-1105, `Parameter '${name}' was empty.`),
  notRequired: (name: string) => new VenueError(-1106, `Parameter '${name}' sent when not required.`),
  tooMuchPrecision: (name: string) => new VenueError(-1111, `Parameter '${name}' has too much precision.`),
  invalidTimeInForce: () => new VenueError(-1115, 'Invalid timeInForce.'),
  invalidOrderType: () => new VenueError(-1116, 'Invalid orderType.'),
  invalidSide: () => new VenueError(-1117, 'Invalid side.'),
  invalidInterval: () => new VenueError(-1120, 'Invalid interval.'),
  invalidSymbol: () => new VenueError(-1121, 'Invalid symbol.'),
  invalidSymbolStatus: () => new VenueError(-1122, 'Invalid symbolStatus.'),
  invalidListenKey: () => new VenueError(-1125, 'This listenKey does not exist.'),
  invalidListenToken: () => new VenueError(-1125, 'This listenToken does not exist.'),
  invalidCombination: () => new VenueError(-1128, 'Combination of optional parameters invalid.'),
  invalidValue: (name: string) => new VenueError(-1130, `Data sent for parameter '${name}' is not valid.`),
  invalidRequest: () => new VenueError(-1135, 'Invalid JSON Request'),
  invalidResponseType: () => new VenueError(-1136, 'Invalid newOrderRespType.'),
  invalidTickerType: () => new VenueError(-1139, 'Invalid ticker type.'),
  invalidCancelRestrictions: () =>
    new VenueError(-1145, '`cancelRestrictions` has to be either `ONLY_NEW` or `ONLY_PARTIALLY_FILLED`.'),
  repeatedSymbol: () => new VenueError(-1151, 'Symbol is present multiple times in the list.'),
  ocoTypeRejected: () => new VenueError(-1158, 'Order type not supported in OCO.'),
  ocoBuyLimitAbove: () => new VenueError(-1165, 'A limit order in a buy OCO must be below.'),
  ocoSellLimitBelow: () => new VenueError(-1166, 'A limit order in a sell OCO must be above.'),
  ocoBothLimit: () => new VenueError(-1168, 'At least one OCO order must be contingent.'),
  ocoBuyStopLossBelow: () => new VenueError(-1196, 'A stop loss order in a buy OCO must be above.'),
  ocoSellStopLossAbove: () => new VenueError(-1197, 'A stop loss order in a sell OCO must be below.'),
  ocoBuyTakeProfitAbove: () => new VenueError(-1198, 'A take profit order in a buy OCO must be below.'),
  ocoSellTakeProfitBelow: () => new VenueError(-1199, 'A take profit order in a sell OCO must be above.'),
  ocoPrices: () => new VenueError(-2010, 'The relationship of the prices for the orders is not correct.'),
  icebergUnsupported: () => new VenueError(-2010, 'Iceberg orders are not supported for this symbol.'),
  invalidTimeUnit: () =>
    new VenueError(-1194, 'Invalid value for time unit; expected either MICROSECOND or MILLISECOND.'),
  filterFailure: (name: string) => new VenueError(-1013, `Filter failure: ${name}`),
  invalidQuantity: () => new VenueError(-1013, 'Invalid quantity.'),
  insufficientBalance: () => new VenueError(-2010, 'Account has insufficient balance for requested action.'),
  duplicateOrder: () => new VenueError(-2010, 'Duplicate order sent.'),
  wouldMatch: () => new VenueError(-2010, 'Order would immediately match and take.'),
  stopWouldTrigger: () => new VenueError(-2010, 'Stop price would trigger immediately.'),
  cancelUnknown: () => new VenueError(-2011, 'Unknown order sent.'),
  cancelRestricted: () => new VenueError(-2011, 'Order was not canceled due to cancel restrictions.'),
  noSuchOrder: () => new VenueError(-2013, 'Order does not exist.'),
  invalidApiKeyFormat: () => new VenueError(-2014, 'API-key format invalid.', 401),
  invalidApiKey: () => new VenueError(-2015, 'Invalid API-key, IP, or permissions for action.', 401),
  hmacSession: () => new VenueError(-4056, 'HMAC_SHA256 API key is not supported.'),
} as const;
