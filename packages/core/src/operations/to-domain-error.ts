import { DomainError } from '@trading-automation/contracts';
import { CallQueueFull, CallTimeout, isConnectionLost, sqlStateOf } from '@trading-automation/persistence';

/**
 * Serialization failure, deadlock, lock timeout and statement timeout. The transaction was rolled back, and a retry may
 * succeed.
 */
const TRANSIENT_SQLSTATES: readonly (string | undefined)[] = ['40001', '40P01', '55P03', '57014'];
/** The server lacks disk, memory or connections, has an internal failure, or is read-only after a failover. */
const UNAVAILABLE_SQLSTATES = /^(?:53|58|25006)/;

/** A call that waits for another process ends within seconds. */
const QUEUE_RETRY_SECONDS = 2;

/**
 * Maps a transient failure, or the outage of a dependency, to `service_unavailable` (503), and a call that finds no slot
 * because of the caller's own open calls to `rate_limited` (429). Returns any other error unchanged.
 */
export function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof CallQueueFull) {
    const message = `${error.openCalls} of your calls to exchanges or webhooks are still open. Wait until one of them ends, then retry.`;
    return new DomainError('rate_limited', message, [], {
      cause: error,
      retryAfterSeconds: QUEUE_RETRY_SECONDS,
    });
  }
  const sqlState = sqlStateOf(error);
  const isOutage = TRANSIENT_SQLSTATES.includes(sqlState) || UNAVAILABLE_SQLSTATES.test(sqlState ?? '');
  if (isOutage || error instanceof CallTimeout || isConnectionLost(error)) {
    return new DomainError('service_unavailable', undefined, [], { cause: error });
  }
  return error;
}
