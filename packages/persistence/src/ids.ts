import { uuidv7 } from 'uuidv7';

/**
 * Generates the id of a new record, a UUIDv7. Ids of one process ascend strictly. Ids of different processes ascend by
 * the millisecond, as far as the clocks of the processes agree. The database never generates ids.
 */
export function newUuid(): string {
  return uuidv7();
}
