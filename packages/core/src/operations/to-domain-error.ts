import { DomainError } from '@trading-automation/contracts';
import { CallTimeout, isConnectionLost, sqlStateOf } from '@trading-automation/persistence';

/**
 * Serialization failure, deadlock, a lock or an answer that took too long: the server undid the statement's transaction,
 * and the same request may do better in a moment.
 */
const TRANSIENT_SQLSTATES: readonly (string | undefined)[] = ['40001', '40P01', '55P03', '57014'];
/** A server that is out of disk, memory or connections, that fails by itself, or that may only read since another took its place. */
const UNAVAILABLE_SQLSTATES = /^(?:53|58|25006)/;

/** What a caller is told of an error: a service that is away or gave up is 503, whatever the driver called it. */
export function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const sqlState = sqlStateOf(error);
  const isOutage = TRANSIENT_SQLSTATES.includes(sqlState) || UNAVAILABLE_SQLSTATES.test(sqlState ?? '');
  if (isOutage || error instanceof CallTimeout || isConnectionLost(error)) {
    return new DomainError('service_unavailable', undefined, [], { cause: error });
  }
  return error;
}
