import { uuidv7 } from 'uuidv7';

/**
 * Generates the id of a new record: a UUIDv7, so that later rows sort later (to the millisecond, and strictly within
 * one process). The database never generates ids. The order of ids from different processes has no meaning.
 */
export function newUuid(): string {
  return uuidv7();
}
