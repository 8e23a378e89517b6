import { uuidv7 } from 'uuidv7';

/**
 * A new record's id: a UUIDv7, so rows made later sort later (to the millisecond, and strictly within one
 * process). Ids are made here and never by the database; no order between processes may be read from them.
 */
export function newUuid(): string {
  return uuidv7();
}
