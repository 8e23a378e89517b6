/** Where the client tells what it does: `console`, pino, winston, or anything alike. */
export interface Logger {
  debug(message: string, ...facts: unknown[]): void;
  info(message: string, ...facts: unknown[]): void;
  warn(message: string, ...facts: unknown[]): void;
  error(message: string, ...facts: unknown[]): void;
}

export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';
const LEVELS: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

/** The logger, deaf to what is below its level. Nothing that it is told holds a credential or a body. */
export function leveled(logger: Logger, level: LogLevel): Logger {
  const loudest = LEVELS.indexOf(level);
  const at = (each: Exclude<LogLevel, 'off'>) =>
    LEVELS.indexOf(each) <= loudest ? logger[each].bind(logger) : () => undefined;
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
