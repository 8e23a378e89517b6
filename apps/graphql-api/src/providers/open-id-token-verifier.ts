/**
 * Verifies ID tokens of an OpenID Connect provider.
 *
 * 1. A token must be signed with RS256 or ES256 by a published key of the provider. Its header cannot select another
 *    algorithm or key.
 * 2. Its issuer (iss) must be this provider. Its audience (aud, and azp if present) may contain only our clients. The
 *    token must be within its validity period and at most a day old.
 * 3. The nonce of the token must equal the nonce of the request. A request without one is refused: a token without a
 *    nonce could have been issued for another sign-in.
 * 4. A token is used once: its identity carries a single-use proof.
 * 5. The URL of the keys comes from the discovery document and is cached for an hour. Tokens with unknown keys cause at
 *    most one request for keys every 30 seconds.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { ProviderIdentity } from '@trading-automation/core/sign-in';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import { jwksUriIn } from './discovery.js';
import { callProvider, providerFailed } from './provider-call.js';

const ALGORITHMS = ['RS256', 'ES256'];
const TOKEN_MAX_CHARACTERS = 16_384;
const CLOCK_TOLERANCE_SECONDS = 10;
const TOKEN_MAX_AGE_SECONDS = 86_400;
const DISCOVERY_TTL_MS = 3_600_000;
const JWKS_COOLDOWN_MS = 30_000;

const claimsSchema = z.object({
  /** At most 255 ASCII characters, as the specification requires. */
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  nonce: z.string().optional(),
  /** Undefined if the token contains an invalid address. */
  email: z.email().max(254).optional().catch(undefined),
  /** Apple may send a string. */
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
});

export interface OpenIdProvider {
  readonly name: 'google' | 'apple';
  /** Display name. */
  readonly label: string;
  /** URL without a trailing slash. */
  readonly issuer: string;
  /** True if the provider's tokens may contain the issuer without `https://`. */
  readonly isSchemeOptional?: boolean;
  /** Ids of all our clients at the provider. They are the valid values of aud and azp. */
  readonly clientIds: readonly string[];
}

export interface IdTokenInput {
  readonly idToken: string;
  readonly nonce?: string | undefined;
}

export class OpenIdTokenVerifier {
  private discovered: { readonly keys: Promise<JWTVerifyGetKey>; readonly untilMs: number } | undefined;

  constructor(
    private readonly provider: OpenIdProvider,
    private readonly options: { readonly keysCooldownMs?: number; readonly timeoutMs?: number } = {},
  ) {}

  /** @throws {DomainError} `validation_failed` without a nonce, `invalid_login`, or `service_unavailable` if the provider cannot be reached */
  async identify({ idToken, nonce }: IdTokenInput): Promise<ProviderIdentity> {
    if (!nonce) throw nonceRequired();
    if (idToken.length > TOKEN_MAX_CHARACTERS) throw this.rejected('the token is too long');
    const claims = claimsSchema.safeParse(await this.verify(idToken));
    if (!claims.success) throw this.rejected('a claim has an unknown form');
    const { sub, aud, azp, email, email_verified } = claims.data;
    const parties = [aud, azp ?? []].flat();
    if (!parties.every((party) => this.provider.clientIds.includes(party))) {
      throw this.rejected('the token has an audience other than our clients');
    }
    if (claims.data.nonce !== nonce) throw this.rejected('the nonce does not match');
    const emailVerified = email_verified === true || email_verified === 'true';
    return {
      provider: this.provider.name,
      subject: sub,
      email,
      emailVerified,
      proof: proofOf(idToken, claims.data.exp),
    };
  }

  private async verify(idToken: string): Promise<JWTPayload> {
    const { issuer, isSchemeOptional, clientIds, label } = this.provider;
    try {
      const { payload } = await jwtVerify(idToken, await this.keys(), {
        algorithms: ALGORITHMS,
        issuer: isSchemeOptional === true ? [issuer, issuer.replace(/^https?:\/\//, '')] : issuer,
        audience: [...clientIds],
        requiredClaims: ['sub', 'iat', 'exp'],
        maxTokenAge: TOKEN_MAX_AGE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return payload;
    } catch (error) {
      if (error instanceof DomainError) throw error;
      if (error instanceof errors.JWKSInvalid) throw providerFailed(label, error);
      throw this.rejected(error);
    }
  }

  /** Returns the provider's keys. All callers share the cached keys; a failed request is not cached. */
  private async keys(): Promise<JWTVerifyGetKey> {
    const nowMs = performance.now();
    if (this.discovered === undefined || this.discovered.untilMs < nowMs) {
      this.discovered = { keys: this.discover(), untilMs: nowMs + DISCOVERY_TTL_MS };
    }
    const { discovered } = this;
    try {
      return await discovered.keys;
    } catch (error) {
      if (this.discovered === discovered) this.discovered = undefined;
      throw error;
    }
  }

  private async discover(): Promise<JWTVerifyGetKey> {
    const { issuer, label } = this.provider;
    const url = jwksUriIn(await this.fetchJson(`${issuer}/.well-known/openid-configuration`), issuer);
    if (url === null) throw providerFailed(label, new Error('the discovery document is not trustworthy'));
    return createRemoteJWKSet(url, {
      cooldownDuration: this.options.keysCooldownMs ?? JWKS_COOLDOWN_MS,
      [customFetch]: async (address) => Response.json(await this.fetchJson(address)),
    });
  }

  private async fetchJson(url: string): Promise<unknown> {
    const { label } = this.provider;
    const { status, body } = await callProvider({
      provider: label,
      url,
      timeoutMs: this.options.timeoutMs,
    });
    if (status !== 200)
      throw providerFailed(label, new Error(`the provider responded with status ${status}`));
    return body;
  }

  private rejected(cause: unknown): DomainError {
    const message = `The ID token of ${this.provider.label} is invalid. Sign in to ${this.provider.label} again.`;
    return new DomainError('invalid_login', message, [], { cause });
  }
}

/** Returns the single-use proof of a token. The signed part is hashed, because a signature can be encoded in several ways. */
function proofOf(idToken: string, exp: number): NonNullable<ProviderIdentity['proof']> {
  const signed = idToken.slice(0, idToken.lastIndexOf('.'));
  return {
    hash: createHash('sha256').update(`id token ${signed}`).digest(),
    expiresAt: new Date((exp + CLOCK_TOLERANCE_SECONDS) * 1_000),
  };
}

function nonceRequired(): DomainError {
  return new DomainError('validation_failed', undefined, [
    {
      field: 'nonce',
      code: 'required',
      message: 'nonce is required: the random value that the sign-in at the provider was started with.',
    },
  ]);
}
