import { DomainError } from '@trading-automation/contracts';
import { CallTimeout, isConnectionLost, sqlStateOf } from '@trading-automation/persistence';

/**
 * Serialization failure, deadlock, lock timeout and statement timeout. The transaction was rolled back, and a retry may
 * succeed.
 */
const TRANSIENT_SQLSTATES: readonly (string | undefined)[] = ['40001', '40P01', '55P03', '57014'];
/** The server lacks disk, memory or connections, has an internal failure, or is read-only after a failover. */
const UNAVAILABLE_SQLSTATES = /^(?:53|58|25006)/;

/**
 * Maps a transient failure, or the outage of a dependency, to `service_unavailable` (503).
 * Returns any other error unchanged.
 */
export function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const sqlState = sqlStateOf(error);
  const isOutage = TRANSIENT_SQLSTATES.includes(sqlState) || UNAVAILABLE_SQLSTATES.test(sqlState ?? '');
  if (isOutage || error instanceof CallTimeout || isConnectionLost(error)) {
    return new DomainError('service_unavailable', undefined, [], { cause: error });
  }
  return error;
}
