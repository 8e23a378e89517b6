/**
 * Which of the port's outcomes a failure is.
 *
 * The rule for writes: whatever may have been accepted is `unknown`. A refusal counts only where the exchange gave it
 * in a whole answer that isn't a 5xx, or where nothing was sent. A 429 to a write is `unknown`, too: it may come from
 * a part of the exchange that stands behind the one that took the order.
 */
import { errors } from 'ccxt';
import { ExchangeError, type ExchangeErrorCode, type ExchangeOutcome } from '../port.js';
import { type Call, DeadlineExceeded } from './call.js';
import { NotSent, ResponseLost, ResponseUnusable } from './transport.js';

type Verdict = readonly [outcome: ExchangeOutcome, code: ExchangeErrorCode];

/** An answer that makes no sense as one to what was asked. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse';
  /** @param detail what is wrong with it, in our own words */
  constructor(detail: string) {
    super(detail);
  }
}

/** What a venue says in its own words where ccxt has no class for it. The first that matches the answer counts. */
export type Refusals = readonly { readonly answer: RegExp; readonly code: ExchangeErrorCode }[];

const rejected = (code: ExchangeErrorCode): Verdict => ['rejected', code];
const fatal = (code: ExchangeErrorCode): Verdict => ['fatal', code];
/** `unknown` of a write that was sent, `retryable` of everything else. */
const unsure = (code: ExchangeErrorCode): Verdict => ['unknown', code];

/** By the class of ccxt's error; all of them, so that a new one is noticed. */
export const VERDICTS = {
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
  // The exchange looked at the time alone; it did nothing.
  InvalidNonce: ['retryable', 'refused'],
  ChecksumError: unsure('bad_answer'),
  RequestTimeout: unsure('no_answer'),
  BadResponse: unsure('bad_answer'),
  NullResponse: unsure('bad_answer'),
  CancelPending: unsure('no_answer'),
  UnsubscribeError: unsure('bad_answer'),
} as const satisfies Readonly<Record<Exclude<keyof typeof errors, 'default'>, Verdict>>;

const MESSAGES: Readonly<Record<ExchangeErrorCode, string>> = {
  unreachable: 'The exchange can not be reached.',
  no_answer: 'The exchange did not answer in time.',
  rate_limited: 'The exchange takes no more requests for now.',
  bad_answer: 'The exchange gave an answer that can not be understood.',
  credentials_rejected: 'The exchange refused the credentials.',
  insufficient_balance: 'The balance at the exchange does not suffice.',
  rule_violated: 'The order breaks a rule of the exchange.',
  order_not_found: 'The exchange has no such open order.',
  would_not_fit_book: 'The order book does not allow the order on its own terms.',
  duplicate_client_order_id: 'The exchange has an order of this id already.',
  not_supported: 'The exchange does not offer this.',
  refused: 'The exchange refused the request.',
};

/** What is known of a failure for those who look into it: no text of the exchange's or of ccxt's, no address. */
interface FailureCause {
  readonly type: string;
  readonly status?: number | undefined;
  readonly venueCode?: string | undefined;
  readonly detail?: string | undefined;
}

export function failure([outcome, code]: Verdict, cause?: FailureCause): ExchangeError {
  return new ExchangeError(outcome, code, MESSAGES[code], { cause });
}

/** @returns what the port promises for this error; nothing of the venue's or ccxt's text is in it. */
export function toExchangeError(error: unknown, call: Call, refusals: Refusals): ExchangeError {
  if (error instanceof ExchangeError) return error;
  return failure(settle(verdictOf(error, call, refusals), call), {
    type: error instanceof Error ? error.name : typeof error,
    status: call.response?.status,
    venueCode: venueCodeOf(call.response?.body),
    detail:
      error instanceof MalformedResponse || error instanceof ResponseUnusable ? error.message : undefined,
  });
}

function settle([outcome, code]: Verdict, { kind, isSent }: Call): Verdict {
  if (outcome !== 'unknown') return [outcome, code];
  if (kind === 'write' && isSent) return unsure(code === 'unreachable' ? 'no_answer' : code);
  return ['retryable', isSent || code === 'rate_limited' ? code : 'unreachable'];
}

function verdictOf(error: unknown, call: Call, refusals: Refusals): Verdict {
  if (error instanceof DeadlineExceeded) return unsure(call.isDispatched ? 'no_answer' : 'rate_limited');
  if (error instanceof NotSent) return unsure(error.reason);
  if (error instanceof ResponseLost) return unsure('no_answer');
  if (error instanceof ResponseUnusable || error instanceof MalformedResponse) return unsure('bad_answer');
  if (error instanceof errors.BaseError) return classifyCcxtError(error, call, refusals);
  return call.isSent ? unsure('bad_answer') : fatal('not_supported');
}

function classifyCcxtError(
  error: InstanceType<typeof errors.BaseError>,
  call: Call,
  refusals: Refusals,
): Verdict {
  const verdict = VERDICTS[classOf(error)];
  if (!call.isSent) return verdict[1] === 'rule_violated' ? rejected('not_supported') : verdict;
  if (verdict[0] === 'unknown') return verdict;
  const status = call.response?.status ?? 0;
  if (status >= 500) return unsure('no_answer');
  const own = refusals.find(({ answer }) => answer.test(call.response?.body ?? ''));
  if (own !== undefined && verdict[0] === 'rejected') return rejected(own.code);
  // A refusal that ccxt has no name for is one only where HTTP says so as well.
  if (error.constructor === errors.ExchangeError && status < 400) return unsure('bad_answer');
  return verdict;
}

function classOf(error: Error): keyof typeof VERDICTS {
  for (let of = error.constructor; typeof of === 'function'; of = Object.getPrototypeOf(of)) {
    if (of.name in VERDICTS) return of.name as keyof typeof VERDICTS;
  }
  return 'BaseError';
}

/** The exchange's own code, which is a number and can hold nothing secret. */
function venueCodeOf(body: string | undefined): string | undefined {
  return /"(?:code|retCode|sCode)"\s*:\s*"?(-?\d{1,7})\b/.exec(body ?? '')?.[1];
}
