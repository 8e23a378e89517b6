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
  invalidTimestamp: () => new VenueError(-1021, 'Timestamp for this request is outside of the recvWindow.'),
  invalidSignature: () => new VenueError(-1022, 'Signature for this request is not valid.'),
  malformed: (name: string) => new VenueError(-1100, `Illegal characters found in parameter '${name}'.`),
  missing: (name: string) =>
    new VenueError(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`),
  notRequired: (name: string) => new VenueError(-1106, `Parameter '${name}' sent when not required.`),
  tooMuchPrecision: (name: string) => new VenueError(-1111, `Parameter '${name}' has too much precision.`),
  invalidTimeInForce: () => new VenueError(-1115, 'Invalid timeInForce.'),
  invalidOrderType: () => new VenueError(-1116, 'Invalid orderType.'),
  invalidSide: () => new VenueError(-1117, 'Invalid side.'),
  invalidInterval: () => new VenueError(-1120, 'Invalid interval.'),
  invalidSymbol: () => new VenueError(-1121, 'Invalid symbol.'),
  invalidCombination: () => new VenueError(-1128, 'Combination of optional parameters invalid.'),
  invalidRequest: () => new VenueError(-1135, 'Invalid JSON Request'),
  invalidResponseType: () => new VenueError(-1136, 'Invalid newOrderRespType.'),
  repeatedSymbol: () => new VenueError(-1151, 'Symbol is present multiple times in the list.'),
  filterFailure: (name: string) => new VenueError(-1013, `Filter failure: ${name}`),
  invalidQuantity: () => new VenueError(-1013, 'Invalid quantity.'),
  insufficientBalance: () => new VenueError(-2010, 'Account has insufficient balance for requested action.'),
  duplicateOrder: () => new VenueError(-2010, 'Duplicate order sent.'),
  wouldMatch: () => new VenueError(-2010, 'Order would immediately match and take.'),
  stopWouldTrigger: () => new VenueError(-2010, 'Stop price would trigger immediately.'),
  cancelUnknown: () => new VenueError(-2011, 'Unknown order sent.'),
  noSuchOrder: () => new VenueError(-2013, 'Order does not exist.'),
  invalidApiKeyFormat: () => new VenueError(-2014, 'API-key format invalid.', 401),
  invalidApiKey: () => new VenueError(-2015, 'Invalid API-key, IP, or permissions for action.', 401),
} as const;
