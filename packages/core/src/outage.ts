import { DomainError } from '@trading-automation/contracts';
import { CallTimeout, isConnectionLost, sqlStateOf } from '@trading-automation/persistence';

/**
 * Serialization failure, deadlock, a lock or an answer that took too long: the server undid the statement's transaction,
 * and the same request may do better in a moment.
 */
const GAVE_UP: readonly (string | undefined)[] = ['40001', '40P01', '55P03', '57014'];

/** What a caller is told of an error: a service that is away or gave up is 503, whatever the driver called it. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof CallTimeout || isConnectionLost(error) || GAVE_UP.includes(sqlStateOf(error))) {
    return new DomainError('service_unavailable', undefined, [], { cause: error });
  }
  return error;
}
