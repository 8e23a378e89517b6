export { type DeprecatedUsageCount, DeprecatedUsageService } from './deprecated-usage.service.js';
export { type PasskeyOptions, passkeysSetting } from './passkeys/passkey-settings.js';
export { PasskeySignInService } from './passkeys/passkey-sign-in.service.js';
export type { EmailAndPassword, PasswordChange } from './password-logins.js';
export { PasswordSignInService } from './password-sign-in.service.js';
export {
  notOffered,
  type SignInProviders,
  signInProvidersSetting,
} from './providers/provider-settings.js';
export { type ProviderIdentity, ProviderSignInService } from './providers/provider-sign-in.service.js';
export { telegramIdentity } from './providers/telegram-login.js';
export { SecondFactorService, type Ticket, type TotpEnrolment } from './second-factor.service.js';
export { type IssuedTokens, SessionsService, type SignInMethod } from './sessions.service.js';
export { SignInLinksModule, SignInModule, type SignInOptions } from './sign-in.module.js';
export { type SignInResult, SignInService } from './sign-in.service.js';
export { SignInLinksService } from './sign-in-links.service.js';
export { PASSWORD_RESET_PATH, REGISTRATION_PATH } from './sign-in-mails.js';
export { SignInRequests } from './sign-in-requests.service.js';
export type { JsonWebKeySet, PublicJwk } from './token-keys.service.js';
