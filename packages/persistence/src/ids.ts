import { uuidv7 } from 'uuidv7';

/**
 * Generates the id of a new record: a UUIDv7, so that later rows sort later (to the millisecond, and strictly within one
 * process). The database never generates ids. Within a millisecond, ids from different processes have no meaningful order.
 */
export function newUuid(): string {
  return uuidv7();
}
