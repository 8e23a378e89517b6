export { DeprecatedUse, type DeprecatedUses } from './deprecated-use.service.js';
export { type PasskeyOptions, passkeysSetting } from './passkeys/passkey-settings.js';
export { PasskeySignIn } from './passkeys/passkey-sign-in.service.js';
export {
  type EmailAndPassword,
  type PasswordChange,
  PasswordSignIn,
} from './password-sign-in.service.js';
export {
  notOffered,
  type SignInProviders,
  signInProvidersSetting,
} from './providers/provider-settings.js';
export { type ProviderIdentity, ProviderSignIn } from './providers/provider-sign-in.service.js';
export { telegramIdentity } from './providers/telegram-login.js';
export { type GeneratedFactor, SecondFactor, type Ticket } from './second-factor.service.js';
export { type IssuedTokens, Sessions, type SignInWay } from './sessions.service.js';
export { SignInModule, type SignInOptions } from './sign-in.module.js';
export { type SignedIn, SignIn } from './sign-in.service.js';
export type { PublicKeySet, PublicTokenKey } from './token-keys.service.js';
