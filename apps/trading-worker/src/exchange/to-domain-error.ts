import { DomainError } from '@trading-automation/contracts';
import { shareUsedUp } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';

/**
 * Converts an error of an exchange: `rate_limited` if the user's own share of its limit is used up, `exchange_unavailable` if
 * it does not respond, `service_unavailable` if it refuses what this worker sent. Returns other errors unchanged.
 */
export function toDomainError(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  if (error.retryInMs !== undefined) return shareUsedUp(error.retryInMs);
  const isSilent = error.outcome === 'retryable' || error.outcome === 'unknown';
  const code = isSilent ? 'exchange_unavailable' : 'service_unavailable';
  return new DomainError(code, error.message, [], { cause: error });
}

const ABOVE_LIMIT = 'The exchange does not allow this leverage for the market. Use a lower one.';
const HELD_BY_OPEN =
  'The exchange refuses the change, because a position or an order of the market is open. Close the position and cancel the orders first.';

/** Converts an error of a change of the leverage, like `toDomainError`. Adds the codes of the exchange's refusals. */
export function toLeverageError(error: unknown): unknown {
  if (!(error instanceof ExchangeError)) return error;
  const { code, message } = error;
  if (code === 'rule_violated') return new DomainError('exchange_rule_violated', ABOVE_LIMIT);
  if (code === 'refused') return new DomainError('invalid_state', HELD_BY_OPEN);
  if (code === 'position_mode') return new DomainError('invalid_state', message);
  if (code === 'credentials_rejected') return new DomainError('exchange_credentials_rejected', message);
  return toDomainError(error);
}
