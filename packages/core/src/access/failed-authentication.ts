import { DomainError, ERRORS } from '@trading-automation/contracts';

/** The credentials are at fault: not a limit of theirs, and no service that was away. */
export function isFailedAuthentication(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  const { kind } = ERRORS[error.code];
  return kind !== 'rate_limited' && kind !== 'unavailable' && kind !== 'internal';
}
