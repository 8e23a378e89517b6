import { DomainError, ERRORS } from '@trading-automation/contracts';
import type { Actor } from '../operations/index.js';
import { assertNoCredentialInQuery } from './assert-no-credential-in-query.js';
import type { IncomingRequest } from './authentication.service.js';
import type { RequestLimits } from './rate-limiter.js';

/**
 * Identifies the caller of a request. Checks first the rate limit of the address, then that the URL contains no
 * credentials, and then calls `find`. A failed authentication costs the address one token of its general bucket.
 *
 * @param find authenticates the request; returns null if it carries no credentials
 */
export async function identifyCaller(
  incoming: IncomingRequest,
  limits: RequestLimits,
  find: () => Promise<Actor | null>,
): Promise<Actor | null> {
  limits.assertAddressNotLimited();
  try {
    assertNoCredentialInQuery(incoming.target);
    return await find();
  } catch (error) {
    if (isFailedAuthentication(error)) await limits.takeTokensForFailure();
    throw error;
  }
}

/** Returns whether the credentials caused the error, not a rate limit or an unavailable service. */
function isFailedAuthentication(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  const { kind } = ERRORS[error.code];
  return kind !== 'rate_limited' && kind !== 'unavailable' && kind !== 'internal';
}
