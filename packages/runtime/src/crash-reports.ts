/**
 * Reports the end of a process by an error, without secrets.
 *
 * Node.js prints an uncaught error with all its members, and a warning with its text. Both can contain a URL with a password
 * or the parameters of a statement. Libraries print to the console. All of them become log lines instead.
 */
import { ConfigError } from './config.js';
import type { Logger } from './logger.js';

/** The logger of the process; the last one that was set reports a crash. */
let crashLogger: Logger | undefined;

/** Makes `logger` report uncaught errors, warnings and console output. An uncaught error exits the process with code 1. */
export function reportCrashes(logger: Logger): void {
  const isInstalled = crashLogger !== undefined;
  crashLogger = logger;
  if (isInstalled) return;
  process.on('uncaughtException', (error) => fail('process.crashed', error, 'Uncaught exception; exiting.'));
  process.on('unhandledRejection', (reason) =>
    fail('process.crashed', reason, 'Unhandled promise rejection; exiting.'),
  );
  // The first listener is that of Node.js, which prints the text.
  process.removeAllListeners('warning');
  process.on('warning', (warning) =>
    crashLogger?.warn(
      { event: 'process.warning', err: warning },
      'Node.js or a library warns about its use.',
    ),
  );
  reportConsole();
}

/** Logs the error and exits the process with code 1. */
export function fail(event: string, error: unknown, message: string): never {
  try {
    crashLogger?.fatal({ event, err: error }, message);
  } finally {
    process.exit(1);
  }
}

/** Logs why a process did not start, and exits with code 1. An invalid configuration is one line per problem. */
export function failStart(event: string, error: unknown, message: string): never {
  if (error instanceof ConfigError)
    for (const problem of error.problems) crashLogger?.fatal({ event: 'config.invalid' }, problem);
  else crashLogger?.fatal({ event, err: error }, message);
  process.exit(1);
}

/**
 * Libraries print to the console what they cannot report otherwise. Strings and the first error are written, no other
 * values.
 */
function reportConsole(): void {
  const report = (...values: unknown[]) => {
    const reason = values.filter((value) => typeof value === 'string').join(' ');
    const err = values.find((value) => value instanceof Error);
    crashLogger?.warn(
      { event: 'process.printed', reason, ...(err === undefined ? {} : { err }) },
      'A library printed to the console.',
    );
  };
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) console[method] = report;
}
