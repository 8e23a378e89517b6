import {
  notOffered,
  type ProviderIdentity,
  type SignInProviders,
  telegramIdentity,
} from '@trading-automation/core/sign-in';
import { type IdTokenGiven, OpenIdConnect } from './open-id-connect.js';
import { UserInfo } from './user-info.js';

/** Finds out who somebody is at a provider; `ProviderSignIn` lets them in. */
export class ProviderIdentities {
  private readonly googleTokens: OpenIdConnect | undefined;
  private readonly appleTokens: OpenIdConnect | undefined;
  private readonly xUserInfo: UserInfo | undefined;

  constructor(private readonly offered: SignInProviders) {
    const { google, apple, x } = offered;
    this.googleTokens =
      google && new OpenIdConnect({ name: 'google', label: 'Google', isSchemeOptional: true, ...google });
    this.appleTokens = apple && new OpenIdConnect({ name: 'apple', label: 'Apple', ...apple });
    this.xUserInfo = x && new UserInfo(x.userInfoUrl);
  }

  async google(given: IdTokenGiven): Promise<ProviderIdentity> {
    if (this.googleTokens === undefined) throw notOffered('Google');
    return this.googleTokens.identify(given);
  }

  async apple(given: IdTokenGiven): Promise<ProviderIdentity> {
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
