import {
  notOffered,
  type ProviderIdentity,
  type SignInProviders,
  telegramIdentity,
} from '@trading-automation/core/sign-in';
import { type IdTokenInput, OpenIdTokenVerifier } from './open-id-token-verifier.js';
import { XUserInfoClient } from './x-user-info-client.js';

/** Finds out who somebody is at a provider; `ProviderSignInService` lets them in. */
export class ProviderIdentities {
  private readonly googleTokens: OpenIdTokenVerifier | undefined;
  private readonly appleTokens: OpenIdTokenVerifier | undefined;
  private readonly xUserInfo: XUserInfoClient | undefined;

  constructor(private readonly offered: SignInProviders) {
    const { google, apple, x } = offered;
    this.googleTokens =
      google &&
      new OpenIdTokenVerifier({ name: 'google', label: 'Google', isSchemeOptional: true, ...google });
    this.appleTokens = apple && new OpenIdTokenVerifier({ name: 'apple', label: 'Apple', ...apple });
    this.xUserInfo = x && new XUserInfoClient(x.userInfoUrl);
  }

  async google(given: IdTokenInput): Promise<ProviderIdentity> {
    if (this.googleTokens === undefined) throw notOffered('Google');
    return this.googleTokens.identify(given);
  }

  async apple(given: IdTokenInput): Promise<ProviderIdentity> {
    if (this.appleTokens === undefined) throw notOffered('Apple');
    return this.appleTokens.identify(given);
  }

  async x(accessToken: string): Promise<ProviderIdentity> {
    if (this.xUserInfo === undefined) throw notOffered('X');
    return this.xUserInfo.identify(accessToken);
  }

  /** `fields` are all that the login widget gave, as text. */
  async telegram(fields: Readonly<Record<string, string>>): Promise<ProviderIdentity> {
    if (this.offered.telegram === undefined) throw notOffered('Telegram');
    return telegramIdentity(fields, this.offered.telegram.botToken, new Date());
  }
}
