/** Changes of ccxt's class of OKX. */
import errors from 'ccxt/js/src/base/errors';

type Fields = Readonly<Record<string, unknown>>;

interface OkxClass {
  readonly exceptions: { readonly exact: Record<string, unknown> };
  nonce(): number;
  sign(path: string, ...request: readonly unknown[]): { readonly headers?: Record<string, string> };
  parseTicker(ticker: Fields, market?: unknown): unknown;
  parseMarket(market: Fields): { readonly limits: Fields };
}

/** The exchange rejects an order that arrives later than this after it was signed. */
const ORDER_LIFE_MS = 5_000;

/** Errors that ccxt has no class for, or reads as others. https://www.okx.com/docs-v5/en/#error-code */
const ERRORS: Readonly<Record<string, unknown>> = {
  // The account has sent too many orders.
  50061: errors.RateLimitExceeded,
  // The key does not exist. Keys of another region or of demo trading are reported in the same way.
  50119: errors.AuthenticationError,
  // The key lacks the permission.
  50120: errors.PermissionDenied,
  // The account's positions are being liquidated. It may trade again afterwards.
  50009: errors.OperationRejected,
  // The order arrived after the time in its header, so it was not executed.
  50036: errors.InvalidNonce,
  50037: errors.InvalidNonce,
  // The order timed out within the exchange, which may have executed it.
  51149: errors.RequestTimeout,
  // The account may not trade this pair. Other orders of the account work.
  51155: errors.OperationRejected,
};

export function prepareOkx(client: object): void {
  const okx = client as OkxClass;
  Object.assign(okx.exceptions.exact, ERRORS);
  const sign = okx.sign.bind(okx);
  okx.sign = (path, ...request) => {
    const signed = sign(path, ...request);
    if (path !== 'trade/order' || request[1] !== 'POST') return signed;
    return { ...signed, headers: { ...signed.headers, expTime: String(okx.nonce() + ORDER_LIFE_MS) } };
  };
  const parseTicker = okx.parseTicker.bind(okx);
  okx.parseTicker = (ticker, market) =>
    parseTicker(ticker.instType === 'SWAP' ? { ...ticker, vol24h: ticker.volCcy24h } : ticker, market);
  const parseMarket = okx.parseMarket.bind(okx);
  okx.parseMarket = (market) => withMaximums(parseMarket(market), market);
}

/** ccxt reads the maximum of market orders as the maximum cost of all orders. Only contracts have it as an amount. */
function withMaximums(
  parsed: { readonly limits: Fields },
  { instType, maxMktSz }: Fields,
): { readonly limits: Fields } {
  const market = instType === 'SWAP' && maxMktSz !== '' ? { max: maxMktSz } : undefined;
  return { ...parsed, limits: { ...parsed.limits, cost: undefined, market } };
}
