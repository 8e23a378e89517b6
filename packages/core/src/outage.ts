import { DomainError } from '@trading-automation/contracts';
import { CallTimeout, isConnectionLost } from '@trading-automation/persistence';

/** What a caller is told of an error: a service that is away is 503, whatever the driver called it. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof CallTimeout || isConnectionLost(error)) {
    return new DomainError('service_unavailable', undefined, [], { cause: error });
  }
  return error;
}
