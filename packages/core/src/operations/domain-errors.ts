/** Creates the domain errors that all features share. */
import { DomainError, decodeId, type IdPrefix } from '@trading-automation/contracts';

/** Returns the uuid of a public id. @throws {DomainError} `not_found` if the id is malformed */
export function decodeIdOrThrow(prefix: IdPrefix, publicId: string): string {
  const uuid = decodeId(prefix, publicId);
  if (uuid === null) throw new DomainError('not_found');
  return uuid;
}

/** Returns the error for an unknown id in a body or a filter. @param field the path of the id in the input */
export function idNotFound(field: string, noun: string): DomainError {
  return new DomainError('not_found', undefined, [{ field, code: 'not_found', message: `No such ${noun}.` }]);
}

/**
 * Returns the error for an operation that is forbidden by the state of its record, or of a record that it depends on.
 *
 * @param state this state, as the API shows it
 */
export function invalidState(message: string, state: string, field?: string): DomainError {
  return new DomainError('invalid_state', message, [
    { ...(field === undefined ? {} : { field }), code: 'invalid_state', message, state },
  ]);
}

/** Returns the error for too many records of one kind. @param records the plural noun for these records */
export function limitReached(records: string, limit: number): DomainError {
  const message = `An account has at most ${limit} ${records}.`;
  return new DomainError('limit_reached', undefined, [{ code: 'limit_reached', message, limit }]);
}
