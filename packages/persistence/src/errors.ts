/** What Postgres and its driver say when something fails, put into the few cases that callers act on. */

/** Whether the work of a lost transaction may stand: only a connection lost during COMMIT leaves that open. */
export type LostOutcome = 'not_committed' | 'unknown';

/**
 * The database can't be reached, or the connection was lost on the way. With outcome `unknown` the transaction
 * may have been committed: it must not be run again without a look at what stands.
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

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, too_many_connections; 08 is the class of connection faults. */
const SQLSTATES = /^(08...|57P0[1234]|53300)$/;
/** The driver reports its own end of a lost connection by text alone. */
const DRIVER_MESSAGES =
  /connection terminated|connection error and is not queryable|timeout exceeded when trying to connect|client was closed/i;
/** TypeORM's names for "the connection under this transaction is gone". */
const RELEASED = /^QueryRunner(Provider)?AlreadyReleasedError$/;

interface DatabaseFault {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly name?: unknown;
  readonly driverError?: unknown;
  readonly cause?: unknown;
}

/** The error and what it wraps: TypeORM keeps the driver's error under `driverError`, ours keep it as `cause`. */
function* chainOf(error: unknown): Generator<DatabaseFault> {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const fault = current as DatabaseFault;
    yield fault;
    current = fault.driverError ?? fault.cause;
  }
}

/** The SQLSTATE behind an error, or undefined where the server did not answer with one. */
export function sqlStateOf(error: unknown): string | undefined {
  for (const { code } of chainOf(error))
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  return undefined;
}

/** Whether a row with the same unique value stands already; with `constraint`, only for that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  for (const fault of chainOf(error)) {
    if (fault.code === '23505') return constraint === undefined || fault.constraint === constraint;
  }
  return false;
}

/** A serialization failure or a deadlock: the server undid the transaction, and it may be run again. */
export function isRetryable(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}

/** Whether an error that left a transaction's work came from the database, and not from another service it called. */
export function isFromDatabase(error: unknown): boolean {
  const { name } = (error ?? {}) as DatabaseFault;
  return typeof name === 'string' && (name === 'QueryFailedError' || RELEASED.test(name));
}

/** Whether the connection, and not the statement, is what failed. */
export function isConnectionLost(error: unknown): boolean {
  for (const { code, message, name } of chainOf(error)) {
    if (typeof code === 'string' && (SYSTEM_CODES.has(code) || SQLSTATES.test(code))) return true;
    if (typeof name === 'string' && (RELEASED.test(name) || name === 'DatabaseUnavailable')) return true;
    if (typeof message === 'string' && DRIVER_MESSAGES.test(message)) return true;
  }
  return false;
}
