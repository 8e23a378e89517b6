/** Maps errors of Postgres and its driver to the few cases that callers handle. */

/**
 * The outcome of a transaction that lost its connection. `unknown`: the connection was lost during COMMIT, so the
 * transaction may be committed.
 */
export type LostOutcome = 'not_committed' | 'unknown';

/**
 * The database cannot be reached, or the connection was lost. With the outcome `unknown` the transaction may be
 * committed: check the committed state before running it again.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  constructor(
    readonly outcome: LostOutcome,
    cause: unknown,
  ) {
    super(`database unavailable (${outcome.replace('_', ' ')})`, { cause });
  }
}

const NETWORK_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Class 08 (connection errors), 57P01 to 57P04 (shutdown, startup, dropped database), 53300 (too many connections). */
const CONNECTION_SQLSTATES = /^(08...|57P0[1234]|53300)$/;
/** The driver reports a lost connection only in the error message. */
const DRIVER_MESSAGES =
  /connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|client was closed/i;
/** The names of TypeORM's errors for a transaction that lost its connection. */
const RELEASED_ERROR_NAMES = /^QueryRunner(Provider)?AlreadyReleasedError$/;

interface DatabaseFault {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly name?: unknown;
  readonly driverError?: unknown;
  readonly cause?: unknown;
}

/** Yields an error and the errors it wraps: TypeORM wraps in `driverError`, this package in `cause`. */
function* chainOf(error: unknown): Generator<DatabaseFault> {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const fault = current as DatabaseFault;
    yield fault;
    current = fault.driverError ?? fault.cause;
  }
}

/** Returns the SQLSTATE of an error; undefined if the server reported none. */
export function sqlStateOf(error: unknown): string | undefined {
  for (const { code } of chainOf(error))
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  return undefined;
}

/** Returns whether the error is a unique violation. If `constraint` is set, it must be a violation of that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  for (const fault of chainOf(error)) {
    if (fault.code === '23505') return constraint === undefined || fault.constraint === constraint;
  }
  return false;
}

/** Returns whether the server rolled back the transaction because of a serialization failure or a deadlock. */
export function isRetryable(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}

/**
 * Returns whether the database caused an error that was thrown inside a transaction. An error of another service, for
 * example Redis, returns false.
 */
export function isFromDatabase(error: unknown): boolean {
  const { name } = (error ?? {}) as DatabaseFault;
  return typeof name === 'string' && (name === 'QueryFailedError' || RELEASED_ERROR_NAMES.test(name));
}

/** Returns whether the connection to the database failed. A failed statement returns false. */
export function isConnectionLost(error: unknown): boolean {
  for (const { code, message, name } of chainOf(error)) {
    if (typeof code === 'string' && (NETWORK_ERROR_CODES.has(code) || CONNECTION_SQLSTATES.test(code)))
      return true;
    if (typeof name === 'string' && (RELEASED_ERROR_NAMES.test(name) || name === 'DatabaseUnavailable'))
      return true;
    if (typeof message === 'string' && DRIVER_MESSAGES.test(message)) return true;
  }
  return false;
}
