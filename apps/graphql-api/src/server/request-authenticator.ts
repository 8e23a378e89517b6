/**
 * Authenticates the caller of an operation.
 *
 * 1. A request with any signature header (`x-svc-*`) is authenticated only by its signature. Other requests are
 *    authenticated by their access token.
 * 2. API keys work only in REST. A key that is sent here, as X-API-Key or as Bearer, gets a specific error.
 * 3. A failed authentication counts toward the rate limit of the IP address, as in REST. A successful one counts
 *    toward the rate limit of the credential.
 */
import { Injectable } from '@nestjs/common';
import { DomainError } from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';
import {
  Authentication,
  type IncomingRequest,
  identifyCaller,
  RateLimiter,
  type RequestLimits,
} from '@trading-automation/core/access';
import { type JsonWebKeySet, SessionsService } from '@trading-automation/core/sign-in';
import { headerOf } from '@trading-automation/runtime/http';

const SIGNATURE_HEADER = /^x-svc-(?:pubkey|timestamp|nonce|sig)$/i;

@Injectable()
export class RequestAuthenticator {
  /** Returns the general limits of a request from an IP address. */
  readonly limitsOf: (address: string) => RequestLimits;

  constructor(
    private readonly authentication: Authentication,
    private readonly sessions: SessionsService,
    limiter: RateLimiter,
  ) {
    this.limitsOf = limiter.limitsFor(undefined);
  }

  /** Returns the public keys of access tokens. */
  publicKeys(): Promise<JsonWebKeySet> {
    return this.sessions.jwks();
  }

  /**
   * Returns the caller of a request, or null if it has no credentials.
   *
   * @throws {DomainError} if the credentials are invalid
   */
  identify(incoming: IncomingRequest, limits: RequestLimits): Promise<Actor | null> {
    return identifyCaller(incoming, limits, async () => {
      const caller = await this.findActor(incoming, limits);
      if (caller === null) await limits.takeTokensByAddress();
      return caller;
    });
  }

  private async findActor(incoming: IncomingRequest, limits: RequestLimits): Promise<Actor | null> {
    if (incoming.rawHeaders.some((name, i) => i % 2 === 0 && SIGNATURE_HEADER.test(name)))
      return this.authentication.authenticateSigned(incoming, limits);
    const token = bearerIn(incoming);
    if (headerOf(incoming, 'x-api-key') !== undefined || token?.startsWith('svc_')) throw apiKeyNotAccepted();
    if (token === undefined) return null;
    const actor = await this.sessions.verify(token);
    await limits.takeTokensByCaller(actor);
    return actor;
  }
}

/**
 * Returns the bearer token of a request. Other authorization schemes are ignored.
 *
 * @throws {DomainError} if there are different tokens
 */
function bearerIn({ rawHeaders }: IncomingRequest): string | undefined {
  const tokens = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== 'authorization') continue;
    const bearer = /^bearer(?: +([^ ].*))?$/i.exec(rawHeaders[i + 1]!.trim());
    if (bearer !== null) tokens.add(bearer[1] ?? '');
  }
  if (tokens.size > 1)
    throw new DomainError(
      'credentials_ambiguous',
      'The request has two Authorization headers with different tokens. Send only one.',
    );
  const [token] = tokens;
  return token;
}

function apiKeyNotAccepted(): DomainError {
  return new DomainError(
    'invalid_api_key',
    'API keys are for the REST API. Sign GraphQL requests with a key pair, or send an access token as Bearer.',
  );
}
