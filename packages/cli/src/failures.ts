/**
 * What the command line itself refuses, and the exit code of everything that can go wrong.
 *
 * 0 success · 1 failure · 2 usage · 3 not found · 4 authentication · 5 rate limit · 6 network or time-out · 130 Ctrl-C
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
  /** SIGTERM, as shells tell it. */
  terminated: 143,
} as const;

/** A failure that is told by its message; `resolution` says what to do. */
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

/** The command was given wrongly. */
export class UsageError extends Failure {
  override readonly name = 'UsageError';
  override readonly exitCode = EXIT.usage;
}

/** There is no such thing. */
export class NotFound extends Failure {
  override readonly name = 'NotFound';
  override readonly exitCode = EXIT.notFound;
}

/** No credential is known, or the one that is can't be read. */
export class AuthRequired extends Failure {
  override readonly name = 'AuthRequired';
  override readonly exitCode = EXIT.auth;
}

/** Somebody was asked and said no. */
export class Declined extends Failure {
  override readonly name = 'Declined';

  constructor() {
    super('Nothing was done: it was not confirmed.');
  }
}

/** Ctrl-C, or a process that was asked to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly exitCode: number = EXIT.interrupted) {
    super('Interrupted.');
  }
}

/** Ends with an exit code and not a word more: all was said. */
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
