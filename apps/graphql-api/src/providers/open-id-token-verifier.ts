/**
 * ID tokens of an OpenID Connect provider.
 *
 * 1. A token is signed with RS256 or ES256, by a key that the provider publishes; its header chooses nothing else.
 * 2. It is this provider's (iss), for our clients alone (aud, and azp where there is one), in its time and at most
 *    a day old.
 * 3. A nonce stands in the token and beside it, the same, or in neither.
 * 4. Where the provider's keys are is what its discovery document says, for an hour. A token that names an unknown
 *    key leads to one look at the keys in 30 seconds at most, however many such tokens come.
 */
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
  /** ASCII, as the specification says. */
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  nonce: z.string().optional(),
  /** One that cannot be read is none. */
  email: z.email().max(254).optional().catch(undefined),
  /** Apple writes it as text, too. */
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).optional(),
});

export interface OpenIdProvider {
  readonly name: 'google' | 'apple';
  /** As people know it. */
  readonly label: string;
  /** A URL without a trailing slash. */
  readonly issuer: string;
  /** Whether its tokens may name the issuer without `https://`. */
  readonly isSchemeOptional?: boolean;
  /** All of our clients there: whom a token is for, and who may have asked for it. */
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

  /** @throws {DomainError} `invalid_login`, or `service_unavailable` where the provider can't be asked */
  async identify({ idToken, nonce }: IdTokenInput): Promise<ProviderIdentity> {
    if (idToken.length > TOKEN_MAX_CHARACTERS) throw this.refused('the token is too long');
    const claims = claimsSchema.safeParse(await this.verify(idToken));
    if (!claims.success) throw this.refused('a claim has an unknown form');
    const { sub, aud, azp, email, email_verified } = claims.data;
    const parties = [aud, azp ?? []].flat();
    if (!parties.every((party) => this.provider.clientIds.includes(party))) {
      throw this.refused('the token is for somebody else, too');
    }
    if (claims.data.nonce !== nonce) throw this.refused('the nonce is another one');
    const emailVerified = email_verified === true || email_verified === 'true';
    return { provider: this.provider.name, subject: sub, email, emailVerified };
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
      throw this.refused(error);
    }
  }

  /** What is found out is kept for all who ask; a failure is kept for nobody. */
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
    if (url === null) throw providerFailed(label, new Error('its discovery document cannot be believed'));
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
    if (status !== 200) throw providerFailed(label, new Error(`it answered ${status}`));
    return body;
  }

  private refused(cause: unknown): DomainError {
    const message = `The ID token of ${this.provider.label} is not good here. Sign in there again.`;
    return new DomainError('invalid_login', message, [], { cause });
  }
}
