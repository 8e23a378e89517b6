import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * Creates the logger of a process. It writes one JSON object per line to standard output, with the name of the service.
 *
 * A line contains only the fields that the caller passes. Requests and errors of drivers or exchange clients may contain
 * secrets, so they are never logged as a whole: of an error, only type, code, message, stack and cause are logged.
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

/** Adapts the logger for Nest. Nest's informational messages are logged at level debug. */
export function nestLogger(logger: Logger): LoggerService {
  const contextOf = (rest: unknown[]) => {
    const context = rest.at(-1);
    return typeof context === 'string' ? { context } : {};
  };
  return {
    log: (message: unknown, ...rest: unknown[]) =>
      logger.debug({ event: 'nest.message', ...contextOf(rest) }, String(message)),
    warn: (message: unknown, ...rest: unknown[]) =>
      logger.warn({ event: 'nest.warning', ...contextOf(rest) }, String(message)),
    error: (message: unknown, ...rest: unknown[]) =>
      message instanceof Error
        ? logger.error({ event: 'nest.failed', ...contextOf(rest), err: message }, message.message)
        : logger.error({ event: 'nest.failed', ...contextOf(rest) }, String(message)),
  };
}
