import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';

/**
 * Returns an error handler that logs with the event name `event`. Errors of an exchange are logged as warnings,
 * because they are not internal errors.
 */
export function errorLogger(event: string, message: string, logger: Logger): (error: unknown) => void {
  return (error) => {
    if (error instanceof ExchangeError)
      logger.warn({ event, outcome: error.outcome, code: error.code }, message);
    else logger.error({ event, err: error }, message);
  };
}
