/** The refusals that all features make in the same form. */
import { DomainError, decodeId, type IdPrefix } from '@trading-automation/contracts';

/** The uuid behind a public id. @throws {DomainError} `not_found` where it can be the id of nothing */
export function decodeIdOrThrow(prefix: IdPrefix, publicId: string): string {
  const uuid = decodeId(prefix, publicId);
  if (uuid === null) throw new DomainError('not_found');
  return uuid;
}

/** For an id in a body or a filter: `field` is where it stands. */
export function idNotFound(field: string, what: string): DomainError {
  return new DomainError('not_found', undefined, [{ field, code: 'not_found', message: `No such ${what}.` }]);
}

/** The state of a record, or of what it depends on, does not allow it. @param state as the record shows it, where it does */
export function invalidState(message: string, state: string, field?: string): DomainError {
  return new DomainError('invalid_state', message, [
    { ...(field === undefined ? {} : { field }), code: 'invalid_state', message, state },
  ]);
}

/** @param records what there are too many of, in the plural */
export function limitReached(records: string, limit: number): DomainError {
  const message = `An account has at most ${limit} ${records}.`;
  return new DomainError('limit_reached', undefined, [{ code: 'limit_reached', message, limit }]);
}
