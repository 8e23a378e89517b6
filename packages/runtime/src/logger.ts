import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import { type LogFields, writtenFields } from './log-fields.js';
import { removeSecrets } from './remove-secrets.js';

/** Each method writes one log line: the fields of the event, and a sentence. */
export interface Logger {
  /** The lowest level that is written. */
  level: string;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  fatal(fields: LogFields, message: string): void;
}

/**
 * Creates the logger of a process. It writes one JSON object per line to standard output, with the name of the service.
 *
 * A line contains only the fields of {@link LogFields}, each with a value of its declared form. Requests, records and the
 * members of errors may contain secrets, so they are not fields. Values in texts of others are removed.
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
    formatters: {
      level: (label: string) => ({ level: label }),
      log: writtenFields,
    },
    serializers: { err: (described: unknown) => described },
    hooks: {
      logMethod(this: unknown, [fields, message]: unknown[], write: (...values: unknown[]) => void) {
        write.call(this, fields, removeSecrets(String(message)));
      },
    },
  };
  const logger = destination === undefined ? pino(options as never) : pino(options as never, destination);
  return logger as unknown as Logger;
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
