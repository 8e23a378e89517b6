import { DomainError, type Operation } from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';
import {
  type Authentication,
  type IncomingRequest,
  identifyCaller,
  type RateLimiter,
  type RequestLimits,
} from '@trading-automation/core/access';

/** Identifies the caller of a request, and charges the rate limits of the caller or of the IP address. */
export class RequestAdmission {
  /** Returns the rate limits of a request to this operation from an IP address. */
  readonly limitsOf: (address: string) => RequestLimits;

  constructor(
    private readonly access: Operation['access'],
    bucket: Operation['bucket'],
    private readonly authentication: Authentication,
    limiter: RateLimiter,
  ) {
    this.limitsOf = limiter.limitsFor(bucket);
  }

  /**
   * Identifies the caller. A public operation ignores credentials. Missing credentials are rejected here, not in the
   * pipeline, so that such a request is charged to the address, as a request with invalid credentials is.
   */
  identify(incoming: IncomingRequest, limits: RequestLimits): Promise<Actor | null> {
    return identifyCaller(incoming, limits, async () => {
      if (this.access === 'PUBLIC') return null;
      const caller = await this.authentication.authenticate(incoming, limits);
      if (caller === null && this.access !== 'CHALLENGE') throw new DomainError('authentication_required');
      return caller;
    });
  }

  /** Charges the address if the request has no caller. `identify` has already charged all other requests. */
  async charge(caller: Actor | null, limits: RequestLimits): Promise<void> {
    if (caller === null) await limits.takeTokensByAddress();
  }
}
