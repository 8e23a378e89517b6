/** A logger: `console`, pino, winston or any object with these methods. */
export interface Logger {
  debug(message: string, ...values: unknown[]): void;
  info(message: string, ...values: unknown[]): void;
  warn(message: string, ...values: unknown[]): void;
  error(message: string, ...values: unknown[]): void;
}

/** Log levels; `off` disables logging. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';
const LEVELS: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** Returns a logger that ignores messages below the level. Callers must not log credentials or bodies. */
export function leveled(logger: Logger, level: LogLevel): Logger {
  const threshold = LEVELS.indexOf(level);
  const methodFor = (messageLevel: Exclude<LogLevel, 'off'>) =>
    LEVELS.indexOf(messageLevel) <= threshold ? logger[messageLevel].bind(logger) : () => undefined;
  return {
    debug: methodFor('debug'),
    info: methodFor('info'),
    warn: methodFor('warn'),
    error: methodFor('error'),
  };
}
