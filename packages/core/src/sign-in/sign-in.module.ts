import { type DynamicModule, Module } from '@nestjs/common';
import { EmailVerificationService } from '../access/index.js';
import { Commands } from '../operations/index.js';
import { Platform, type ServerKeys } from '../platform/index.js';
import { DeprecatedUse } from './deprecated-use.service.js';
import type { PasskeyOptions } from './passkeys/passkey-settings.js';
import { PasskeySignIn } from './passkeys/passkey-sign-in.service.js';
import { PasswordHashes } from './password-hashes.js';
import { PasswordSignIn } from './password-sign-in.service.js';
import { ProviderSignIn } from './providers/provider-sign-in.service.js';
import { SecondFactor } from './second-factor.service.js';
import { ServerSeal } from './server-seal.js';
import { Sessions } from './sessions.service.js';
import { SignIn } from './sign-in.service.js';
import { SignInAttempts } from './sign-in-attempts.service.js';
import { TokenKeys } from './token-keys.service.js';

export interface SignInOptions {
  /** The application's `AccessModule`, which verifies addresses. */
  readonly access: DynamicModule;
  readonly serverKeys: ServerKeys;
  /** The origin at which tokens are issued and taken, without a trailing slash. */
  readonly issuer: () => string;
  readonly openRegistration: boolean;
  /** Undefined where passkeys are not offered. */
  readonly passkeys: PasskeyOptions | undefined;
}

/** The deprecated ways of signing in, for an API. */
@Module({})
export class SignInModule {
  static with({ access, serverKeys, issuer, openRegistration, passkeys }: SignInOptions): DynamicModule {
    const seal = new ServerSeal(serverKeys);
    return {
      module: SignInModule,
      imports: [access],
      providers: [
        {
          provide: Sessions,
          useFactory: (platform: Platform) =>
            new Sessions({ platform, keys: new TokenKeys(platform, seal), issuer, openRegistration }),
          inject: [Platform],
        },
        {
          provide: SignInAttempts,
          useFactory: (platform: Platform) => new SignInAttempts(platform),
          inject: [Platform],
        },
        {
          provide: SecondFactor,
          useFactory: (
            platform: Platform,
            commands: Commands,
            sessions: Sessions,
            attempts: SignInAttempts,
          ) => new SecondFactor({ platform, commands, sessions, attempts, seal }),
          inject: [Platform, Commands, Sessions, SignInAttempts],
        },
        {
          provide: SignIn,
          useFactory: (sessions: Sessions, secondFactor: SecondFactor) => new SignIn(sessions, secondFactor),
          inject: [Sessions, SecondFactor],
        },
        {
          provide: PasswordSignIn,
          useFactory: (
            platform: Platform,
            commands: Commands,
            emails: EmailVerificationService,
            sessions: Sessions,
            signIn: SignIn,
            attempts: SignInAttempts,
          ) =>
            new PasswordSignIn({
              platform,
              commands,
              emails,
              sessions,
              signIn,
              attempts,
              hashes: new PasswordHashes(),
            }),
          inject: [Platform, Commands, EmailVerificationService, Sessions, SignIn, SignInAttempts],
        },
        {
          provide: ProviderSignIn,
          useFactory: (platform: Platform, sessions: Sessions, signIn: SignIn) =>
            new ProviderSignIn({ platform, sessions, signIn }),
          inject: [Platform, Sessions, SignIn],
        },
        {
          provide: PasskeySignIn,
          useFactory: (platform: Platform, signIn: SignIn) =>
            new PasskeySignIn({ platform, signIn, options: passkeys }),
          inject: [Platform, SignIn],
        },
        {
          provide: DeprecatedUse,
          useFactory: (platform: Platform) => new DeprecatedUse(platform),
          inject: [Platform],
        },
      ],
      exports: [Sessions, SignIn, SecondFactor, PasswordSignIn, ProviderSignIn, PasskeySignIn, DeprecatedUse],
    };
  }
}
