import type { OrderFailure } from '@trading-automation/core/trades';
import type { ExchangeError, ExchangeErrorCode } from '@trading-automation/exchanges';

const CODES: Readonly<Partial<Record<ExchangeErrorCode, string>>> = {
  credentials_rejected: 'exchange_credentials_rejected',
  insufficient_balance: 'insufficient_balance',
  rule_violated: 'exchange_rule_violated',
  unreachable: 'exchange_unavailable',
  no_answer: 'exchange_unavailable',
  rate_limited: 'exchange_unavailable',
  bad_answer: 'exchange_unavailable',
};

/** Converts the error because of which an order was not placed to the failure that is stored with the trade. */
export function toOrderFailure({ code, message, outcome }: ExchangeError): OrderFailure {
  return { code: CODES[code] ?? code, message, isRetryable: outcome === 'retryable' };
}
