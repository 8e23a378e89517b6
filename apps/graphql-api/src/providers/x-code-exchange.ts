/**
 * Exchanges an authorization code of X for an access token of its user (OAuth 2.0 with PKCE).
 *
 * The exchange names our client, so the token belongs to our app: a code of another app is refused by X. The user's browser
 * proves with the code verifier that it began the sign-in. X accepts a code once.
 */
import { DomainError } from '@trading-automation/contracts';
import type { SignInProviders } from '@trading-automation/core/sign-in';
import { z } from 'zod';
import { callProvider, providerFailed } from './provider-call.js';

const LABEL = 'X';
const CODE = /^[\x21-\x7e]{1,2048}$/;
/** As RFC 7636 defines it. */
const CODE_VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
/** X responds with this status if a code is unknown, used, expired, of another app or without its verifier. */
const REJECTED_STATUS = 400;

const tokenSchema = z.object({ access_token: z.string(), token_type: z.string().regex(/^bearer$/i) });

export interface XAuthorization {
  readonly code?: string | null | undefined;
  readonly codeVerifier?: string | null | undefined;
  readonly redirectUri?: string | null | undefined;
}

export class XCodeExchange {
  constructor(
    private readonly settings: NonNullable<SignInProviders['x']>,
    private readonly timeoutMs?: number,
  ) {}

  /**
   * Returns an access token that X issued to our app.
   *
   * @throws {DomainError} `validation_failed`, `invalid_login`, or `service_unavailable` if X cannot be reached
   */
  async exchange({ code, codeVerifier, redirectUri }: XAuthorization): Promise<string> {
    const { clientId, clientSecret, redirectUris, tokenUrl } = this.settings;
    if (!code || !CODE.test(code))
      throw invalid('code', 'x_auth needs the authorization code; an access token is not accepted.');
    if (!codeVerifier || !CODE_VERIFIER.test(codeVerifier))
      throw invalid('code_verifier', 'Expected the code verifier of the sign-in, 43 to 128 characters.');
    if (!redirectUri || !redirectUris.includes(redirectUri))
      throw invalid('redirect_uri', 'Expected the redirect URI of the sign-in, as it is configured.');
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: codeVerifier,
    });
    const { status, body } = await callProvider({
      provider: LABEL,
      url: tokenUrl,
      form,
      ...(clientSecret === undefined ? {} : { basic: { user: clientId, password: clientSecret } }),
      timeoutMs: this.timeoutMs,
    });
    if (status === REJECTED_STATUS)
      throw new DomainError('invalid_login', 'X rejected the authorization code. Sign in to X again.');
    const token = tokenSchema.safeParse(body);
    if (status !== 200 || !token.success)
      throw providerFailed(LABEL, new Error(`the token endpoint responded with status ${status}`));
    return token.data.access_token;
  }
}

function invalid(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'invalid', message }]);
}
