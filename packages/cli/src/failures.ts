/**
 * The errors of the command line itself, and the exit code of every error.
 *
 * 0 success · 1 failure · 2 usage · 3 not found · 4 authentication · 5 rate limit · 6 network or timeout ·
 * 130 Ctrl-C · 143 SIGTERM
 */
import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@trading-automation/sdk';

export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  auth: 4,
  rateLimited: 5,
  network: 6,
  interrupted: 130,
  /** Ended by SIGTERM: 128 + 15, as in shells. */
  terminated: 143,
} as const;

/** An expected failure. Its message is printed, followed by `resolution`, which says how to fix it. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly exitCode: number = EXIT.failure;

  constructor(
    message: string,
    readonly resolution?: string,
  ) {
    super(message);
  }
}

/** Invalid usage of a command. */
export class UsageError extends Failure {
  override readonly name = 'UsageError';
  override readonly exitCode = EXIT.usage;
}

/** The requested item does not exist. */
export class NotFound extends Failure {
  override readonly name = 'NotFound';
  override readonly exitCode = EXIT.notFound;
}

/** No credential is configured, or it cannot be read. */
export class AuthRequired extends Failure {
  override readonly name = 'AuthRequired';
  override readonly exitCode = EXIT.auth;
}

/** The user did not confirm. */
export class Declined extends Failure {
  override readonly name = 'Declined';

  constructor() {
    super('Not confirmed; nothing was done.');
  }
}

/** The user pressed Ctrl-C, or the process received SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly exitCode: number = EXIT.interrupted) {
    super('Interrupted.');
  }
}

/** Ends the command with an exit code and no message, because it has already printed everything. */
export class QuietExit extends Error {
  override readonly name = 'QuietExit';

  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`);
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure || error instanceof QuietExit || error instanceof Interrupted)
    return error.exitCode;
  if (error instanceof NotFoundError) return EXIT.notFound;
  if (error instanceof AuthenticationError || error instanceof PermissionDeniedError) return EXIT.auth;
  if (error instanceof RateLimitError) return EXIT.rateLimited;
  if (error instanceof ConnectionError) return EXIT.network;
  return EXIT.failure;
}
