/**
 * Finds the user of an X access token by calling X's user-info endpoint.
 *
 * X does not disclose a token's audience. The token must therefore come from `XCodeExchange`, never from a caller.
 */
import { DomainError } from '@trading-automation/contracts';
import type { ProviderIdentity } from '@trading-automation/core/sign-in';
import { z } from 'zod';
import { callProvider, providerFailed } from './provider-call.js';

const LABEL = 'X';
/** A valid token after `Bearer ` (RFC 6750). */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/;
const BEARER_LENGTH_MAX = 4_096;
/** X responds with these statuses if a token is unknown, expired, revoked or not a user token. */
const REJECTED_STATUSES = [401, 403];

const userInfoSchema = z.object({
  data: z.object({ id: z.string().regex(/^\d{1,20}$/), username: z.string() }),
});

export class XUserInfoClient {
  constructor(
    private readonly url: string,
    private readonly timeoutMs?: number,
  ) {}

  /** @throws {DomainError} `invalid_login`, or `service_unavailable` if X cannot be reached */
  async identify(accessToken: string): Promise<ProviderIdentity> {
    if (accessToken.length > BEARER_LENGTH_MAX || !BEARER.test(accessToken)) throw rejected();
    const call = { provider: LABEL, url: this.url, bearer: accessToken, timeoutMs: this.timeoutMs };
    const { status, body } = await callProvider(call);
    if (REJECTED_STATUSES.includes(status)) throw rejected();
    if (status !== 200)
      throw providerFailed(LABEL, new Error(`the provider responded with status ${status}`));
    const userInfo = userInfoSchema.safeParse(body);
    if (!userInfo.success) throw providerFailed(LABEL, userInfo.error);
    return { provider: 'x', subject: userInfo.data.data.id, emailVerified: false };
  }
}

function rejected(): DomainError {
  return new DomainError('invalid_login', 'The X access token is invalid. Sign in to X again.');
}
