/**
 * The errors of the command line itself, and the exit code of every error.
 */
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from '@trading-automation/sdk';

export const EXIT = {
  success: 0,
  failure: 1,
  /** Invalid input, no matter whether the command line or the API found it. */
  usage: 2,
  notFound: 3,
  auth: 4,
  rateLimited: 5,
  network: 6,
  interrupted: 130,
  /** Ended by SIGTERM: 128 + 15, as in shells. */
  terminated: 143,
} as const;

/** The meaning of each exit code. The help prints it, and tests compare the guide and the README with it. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  success: 'success',
  failure: 'failure',
  usage: 'invalid input',
  notFound: 'not found',
  auth: 'authentication',
  rateLimited: 'rate limit',
  network: 'network or timeout',
  interrupted: 'interrupted (Ctrl-C)',
  terminated: 'terminated (SIGTERM)',
};

/** The codes of the API for input that no state of the account can make valid. */
const INVALID_INPUT: readonly string[] = [
  'credential_in_query',
  'exchange_rule_violated',
  'idempotency_key_reused',
  'invalid_query',
  'malformed_json',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

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
  if (error instanceof ApiError && INVALID_INPUT.includes(error.code)) return EXIT.usage;
  return EXIT.failure;
}
