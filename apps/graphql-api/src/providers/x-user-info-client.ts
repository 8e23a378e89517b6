/**
 * Who an access token of X belongs to, as X's user-info endpoint says.
 *
 * Not promised: that the token was issued to a client of ours. X tells nobody for whom a token is, so whoever holds
 * one of a user, another app too, passes for that user. Offer it only where that is acceptable.
 */
import { DomainError } from '@trading-automation/contracts';
import type { ProviderIdentity } from '@trading-automation/core/sign-in';
import { z } from 'zod';
import { callProvider, providerFailed } from './provider-call.js';

const LABEL = 'X';
/** What may stand after `Bearer ` (RFC 6750). */
const BEARER = /^[A-Za-z0-9\-._~+/]{1,4096}=*$/;
/** The token is unknown, expired or revoked; or not one of a user. */
const REFUSALS = [401, 403];

const userInfoSchema = z.object({
  data: z.object({ id: z.string().regex(/^\d{1,20}$/), username: z.string() }),
});

export class XUserInfoClient {
  constructor(
    private readonly url: string,
    private readonly timeoutMs?: number,
  ) {}

  /** @throws {DomainError} `invalid_login`, or `service_unavailable` where X can't be asked */
  async identify(accessToken: string): Promise<ProviderIdentity> {
    if (!BEARER.test(accessToken)) throw refused();
    const call = { provider: LABEL, url: this.url, bearer: accessToken, timeoutMs: this.timeoutMs };
    const { status, body } = await callProvider(call);
    if (REFUSALS.includes(status)) throw refused();
    if (status !== 200) throw providerFailed(LABEL, new Error(`it answered ${status}`));
    const said = userInfoSchema.safeParse(body);
    if (!said.success) throw providerFailed(LABEL, said.error);
    return { provider: 'x', subject: said.data.data.id, emailVerified: false };
  }
}

function refused(): DomainError {
  return new DomainError('invalid_login', 'The access token of X is not good. Sign in there again.');
}
