/**
 * Maps every failure to one of the port's outcomes.
 *
 * The rule for writes: a call that may have been accepted is `unknown`. It is `rejected` only if nothing was sent, or
 * if the exchange sent the rejection in a complete response other than a 5xx. A write that gets a 429 is also
 * `unknown`: one system of the exchange may have accepted the order before another one sent the 429.
 */
import errors from 'ccxt/js/src/base/errors';
import { ExchangeError, type ExchangeErrorCode, type ExchangeOutcome } from '../port.js';
import { type Call, DeadlineExceeded } from './call.js';
import { NotSent, ResponseLost, ResponseUnusable } from './transport.js';

type Classification = readonly [
  outcome: ExchangeOutcome,
  code: ExchangeErrorCode,
  message?: string | undefined,
];

/** A response that is not a valid response to the request. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
  /** @param detail what is wrong with the response; it quotes no text of the exchange */
  constructor(detail: string) {
    super(detail);
  }
}

/**
 * Patterns of a venue's error texts that ccxt classifies too generally. The first match applies. `message` names the rule
 * in the product's own words, if the code alone does not.
 */
export type RejectionPatterns = readonly {
  readonly pattern: RegExp;
  readonly code: ExchangeErrorCode;
  readonly message?: string;
  /**
   * Whether the exchange refuses this request alone, although ccxt classifies the error as one of the account, which would
   * deactivate it. Default: false.
   */
  readonly refusesRequestAlone?: boolean;
}[];

const rejected = (code: ExchangeErrorCode): Classification => ['rejected', code];
const fatal = (code: ExchangeErrorCode): Classification => ['fatal', code];
/** A provisional `unknown`: {@link resolveUnknown} makes it `retryable` unless a write was sent. */
const unsure = (code: ExchangeErrorCode): Classification => ['unknown', code];

/** Outcomes by ccxt's error class. The type requires every class, so that the type check fails when ccxt adds one. */
export const CCXT_OUTCOMES = {
  BaseError: unsure('bad_answer'),
  ExchangeError: rejected('refused'),
  AuthenticationError: fatal('credentials_rejected'),
  PermissionDenied: fatal('credentials_rejected'),
  AccountNotEnabled: fatal('credentials_rejected'),
  AccountSuspended: fatal('credentials_rejected'),
  ArgumentsRequired: rejected('not_supported'),
  BadRequest: rejected('rule_violated'),
  BadSymbol: rejected('not_supported'),
  OperationRejected: rejected('refused'),
  NoChange: rejected('refused'),
  MarginModeAlreadySet: rejected('refused'),
  MarketClosed: rejected('refused'),
  ManualInteractionNeeded: fatal('refused'),
  RestrictedLocation: fatal('refused'),
  InsufficientFunds: rejected('insufficient_balance'),
  InvalidAddress: rejected('refused'),
  AddressPending: rejected('refused'),
  InvalidOrder: rejected('rule_violated'),
  OrderNotFound: rejected('order_not_found'),
  OrderNotCached: rejected('order_not_found'),
  OrderImmediatelyFillable: rejected('would_not_fit_book'),
  OrderNotFillable: rejected('would_not_fit_book'),
  DuplicateOrderId: rejected('duplicate_client_order_id'),
  ContractUnavailable: rejected('refused'),
  NotSupported: rejected('not_supported'),
  InvalidProxySettings: fatal('not_supported'),
  ExchangeClosedByUser: unsure('no_answer'),
  OperationFailed: unsure('no_answer'),
  NetworkError: unsure('no_answer'),
  DDoSProtection: unsure('rate_limited'),
  RateLimitExceeded: unsure('rate_limited'),
  ExchangeNotAvailable: unsure('unreachable'),
  OnMaintenance: unsure('unreachable'),
  // The exchange checked only the timestamp; the request had no effect.
  InvalidNonce: ['retryable', 'refused'],
  ChecksumError: unsure('bad_answer'),
  RequestTimeout: unsure('no_answer'),
  BadResponse: unsure('bad_answer'),
  NullResponse: unsure('bad_answer'),
  CancelPending: unsure('no_answer'),
  UnsubscribeError: unsure('bad_answer'),
} as const satisfies Readonly<Record<Exclude<keyof typeof errors, 'default'>, Classification>>;

const MESSAGES: Readonly<Record<ExchangeErrorCode, string>> = {
  unreachable: 'The exchange cannot be reached. Try again later.',
  no_answer: 'The exchange did not respond in time.',
  rate_limited: 'The rate limit of the exchange is reached. Try again later.',
  bad_answer: 'The exchange sent a response that cannot be parsed.',
  credentials_rejected:
    'The exchange rejected the credentials. Check the key, the secret and the passphrase.',
  insufficient_balance: 'The balance at the exchange is too small.',
  rule_violated: 'The order breaks a rule of the exchange.',
  order_not_found: 'The exchange has no open order with this id.',
  would_not_fit_book: 'The current order book does not allow an order with this price and time in force.',
  duplicate_client_order_id: 'The exchange already has an order with this client order id.',
  position_mode:
    'The account keeps long and short positions apart. Switch it to one-way mode at the exchange.',
  not_supported: 'The exchange does not support this request.',
  refused: 'The exchange rejected the request.',
};

/** Diagnostics of a failure. They contain no text of the exchange or ccxt, and no URL. */
interface FailureCause {
  readonly type: string;
  readonly status?: number | undefined;
  readonly venueCode?: string | undefined;
  readonly detail?: string | undefined;
}

export function failure([outcome, code, message]: Classification, cause?: FailureCause): ExchangeError {
  return new ExchangeError(outcome, code, message ?? messageOf(code, cause?.venueCode), { cause });
}

/** The exchange's own code leads to its documentation where the product does not know the rule. */
const messageOf = (code: ExchangeErrorCode, venueCode: string | undefined): string =>
  (code === 'rule_violated' || code === 'refused') && venueCode !== undefined
    ? `${MESSAGES[code]} Its error code is ${venueCode}.`
    : MESSAGES[code];

/** Converts any error to the port's error. The result contains no text of the venue or ccxt. */
export function toExchangeError(
  error: unknown,
  call: Call,
  rejectionPatterns: RejectionPatterns,
): ExchangeError {
  if (error instanceof ExchangeError) return error;
  return failure(resolveUnknown(classify(error, call, rejectionPatterns), call), {
    type: error instanceof Error ? error.name : typeof error,
    status: call.response?.status,
    venueCode: venueCodeOf(call.response?.body),
    detail:
      error instanceof MalformedResponse || error instanceof ResponseUnusable ? error.message : undefined,
  });
}

function resolveUnknown(classification: Classification, { kind, isSent }: Call): Classification {
  const [outcome, code] = classification;
  if (outcome !== 'unknown') return classification;
  if (kind === 'write' && isSent) return unsure(code === 'unreachable' ? 'no_answer' : code);
  return ['retryable', isSent || code === 'rate_limited' ? code : 'unreachable'];
}

function classify(error: unknown, call: Call, rejectionPatterns: RejectionPatterns): Classification {
  // Until it is released, a call only waits for the call budget.
  if (error instanceof DeadlineExceeded) return unsure(call.isReleased ? 'no_answer' : 'rate_limited');
  if (error instanceof NotSent) return unsure(error.reason);
  if (error instanceof ResponseLost) return unsure('no_answer');
  if (error instanceof ResponseUnusable || error instanceof MalformedResponse) return unsure('bad_answer');
  if (error instanceof errors.BaseError) return classifyCcxtError(error, call, rejectionPatterns);
  return call.isSent ? unsure('bad_answer') : fatal('not_supported');
}

function classifyCcxtError(
  error: InstanceType<typeof errors.BaseError>,
  call: Call,
  rejectionPatterns: RejectionPatterns,
): Classification {
  const classification = CCXT_OUTCOMES[classOf(error)];
  // Without a request, ccxt itself rejected the arguments; the exchange has checked no rule.
  if (!call.isSent) return classification[1] === 'rule_violated' ? rejected('not_supported') : classification;
  if (classification[0] === 'unknown') return classification;
  const status = call.response?.status ?? 0;
  if (status >= 500) return unsure('no_answer');
  const venueSpecific = rejectionPatterns.find(({ pattern }) => pattern.test(call.response?.body ?? ''));
  const applies = classification[0] === 'rejected' || venueSpecific?.refusesRequestAlone === true;
  if (venueSpecific !== undefined && applies) return ['rejected', venueSpecific.code, venueSpecific.message];
  // A rejection that ccxt has no class for counts only if the HTTP status is an error as well.
  if (error.constructor === errors.ExchangeError && status < 400) return unsure('bad_answer');
  return classification;
}

function classOf(error: Error): keyof typeof CCXT_OUTCOMES {
  for (
    let current = error.constructor;
    typeof current === 'function';
    current = Object.getPrototypeOf(current)
  ) {
    if (current.name in CCXT_OUTCOMES) return current.name as keyof typeof CCXT_OUTCOMES;
  }
  return 'BaseError';
}

/** Returns the exchange's numeric error code, of the order before that of its request; a number contains no secret. */
function venueCodeOf(body = ''): string | undefined {
  const codes = [/"sCode"\s*:\s*"?(-?\d{1,7})\b/, /"(?:code|retCode)"\s*:\s*"?(-?\d{1,7})\b/];
  return codes.map((code) => code.exec(body)?.[1]).find((code) => code !== undefined);
}
