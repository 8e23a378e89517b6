import {
  notOffered,
  type ProviderIdentity,
  type SignInProviders,
  telegramIdentity,
} from '@trading-automation/core/sign-in';
import { type IdTokenInput, OpenIdTokenVerifier } from './open-id-token-verifier.js';
import { type XAuthorization, XCodeExchange } from './x-code-exchange.js';
import { XUserInfoClient } from './x-user-info-client.js';

/** Determines the identity of a user at a provider; `ProviderSignInService` signs the user in. */
export class ProviderIdentities {
  private readonly googleTokens: OpenIdTokenVerifier | undefined;
  private readonly appleTokens: OpenIdTokenVerifier | undefined;
  private readonly xCodes: XCodeExchange | undefined;
  private readonly xUserInfo: XUserInfoClient | undefined;

  constructor(private readonly offered: SignInProviders) {
    const { google, apple, x } = offered;
    this.googleTokens =
      google &&
      new OpenIdTokenVerifier({ name: 'google', label: 'Google', isSchemeOptional: true, ...google });
    this.appleTokens = apple && new OpenIdTokenVerifier({ name: 'apple', label: 'Apple', ...apple });
    this.xCodes = x && new XCodeExchange(x);
    this.xUserInfo = x && new XUserInfoClient(x.userInfoUrl);
  }

  async google(input: IdTokenInput): Promise<ProviderIdentity> {
    if (this.googleTokens === undefined) throw notOffered('Google');
    return this.googleTokens.identify(input);
  }

  async apple(input: IdTokenInput): Promise<ProviderIdentity> {
    if (this.appleTokens === undefined) throw notOffered('Apple');
    return this.appleTokens.identify(input);
  }

  async x(authorization: XAuthorization): Promise<ProviderIdentity> {
    if (this.xCodes === undefined || this.xUserInfo === undefined) throw notOffered('X');
    return this.xUserInfo.identify(await this.xCodes.exchange(authorization));
  }

  /** @param fields all fields of the login widget, as strings */
  async telegram(fields: Readonly<Record<string, string>>): Promise<ProviderIdentity> {
    if (this.offered.telegram === undefined) throw notOffered('Telegram');
    return telegramIdentity(fields, this.offered.telegram.botToken, new Date());
  }
}
