import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * The log of a process: one JSON object a line on standard output, with the service's name.
 *
 * A line has the fields that the caller chose to log and no others. Objects that may hold secrets (requests,
 * errors of drivers and exchange clients) are never passed whole: of an error, its type, code and message
 * are logged.
 */
export function createLogger(
  service: string,
  level = 'info',
  destination?: { write(line: string): void },
): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/** Lets Nest write to the same log; what it says of wiring is of interest only in debugging. */
export function nestLogger(logger: Logger): LoggerService {
  const contextOf = (rest: unknown[]) => {
    const context = rest.at(-1);
    return typeof context === 'string' ? { context } : {};
  };
  return {
    log: (message: unknown, ...rest: unknown[]) => logger.debug(contextOf(rest), String(message)),
    warn: (message: unknown, ...rest: unknown[]) => logger.warn(contextOf(rest), String(message)),
    error: (message: unknown, ...rest: unknown[]) =>
      message instanceof Error
        ? logger.error({ ...contextOf(rest), err: message }, message.message)
        : logger.error(contextOf(rest), String(message)),
  };
}
