/** Changes of ccxt's class of Bybit. */
import errors from 'ccxt/js/src/base/errors';

interface BybitClass {
  readonly exceptions: { readonly exact: Record<string, unknown> };
}

/** Errors that ccxt reads as others. https://bybit-exchange.github.io/docs/v5/error */
const ERRORS: Readonly<Record<string, unknown>> = {
  // After these, the order may exist, or its cancellation may follow.
  170035: errors.RequestTimeout,
  170146: errors.RequestTimeout,
  170147: errors.RequestTimeout,
  // The account has sent too many orders.
  170005: errors.RateLimitExceeded,
  12141: errors.DuplicateOrderId,
  // These concern one market or one order. Other calls of the account work.
  10024: errors.OperationRejected,
  10029: errors.BadSymbol,
  170209: errors.OperationRejected,
  170224: errors.OperationRejected,
  170241: errors.OperationRejected,
};

export function prepareBybit(client: object): void {
  Object.assign((client as BybitClass).exceptions.exact, ERRORS);
}
