import { type DynamicModule, Module } from '@nestjs/common';
import { EmailVerificationService } from '../access/index.js';
import { CommandRunner } from '../operations/index.js';
import { Platform, type ServerKeys } from '../platform/index.js';
import { DeprecatedUsageService } from './deprecated-usage.service.js';
import type { PasskeyOptions } from './passkeys/passkey-settings.js';
import { PasskeySignInService } from './passkeys/passkey-sign-in.service.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordSignInService } from './password-sign-in.service.js';
import { ProviderSignInService } from './providers/provider-sign-in.service.js';
import { SecondFactorService } from './second-factor.service.js';
import { ServerKeySealer } from './server-key-sealer.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';
import { SignInAttempts } from './sign-in-attempts.service.js';
import { TokenKeys } from './token-keys.service.js';

export interface SignInOptions {
  /** The application's `AccessModule`, which verifies addresses. */
  readonly access: DynamicModule;
  readonly serverKeys: ServerKeys;
  /** The origin that issues and accepts tokens, without a trailing slash. */
  readonly issuer: () => string;
  readonly openRegistration: boolean;
  /** Undefined if passkeys are not offered. */
  readonly passkeys: PasskeyOptions | undefined;
}

/** Provides the deprecated sign-in methods to an API. */
@Module({})
export class SignInModule {
  static with({ access, serverKeys, issuer, openRegistration, passkeys }: SignInOptions): DynamicModule {
    const seal = new ServerKeySealer(serverKeys);
    return {
      module: SignInModule,
      imports: [access],
      providers: [
        {
          provide: SessionsService,
          useFactory: (platform: Platform) =>
            new SessionsService({ platform, keys: new TokenKeys(platform, seal), issuer, openRegistration }),
          inject: [Platform],
        },
        {
          provide: SignInAttempts,
          useFactory: (platform: Platform) => new SignInAttempts(platform),
          inject: [Platform],
        },
        {
          provide: SecondFactorService,
          useFactory: (
            platform: Platform,
            commands: CommandRunner,
            sessions: SessionsService,
            attempts: SignInAttempts,
          ) => new SecondFactorService({ platform, commands, sessions, attempts, seal }),
          inject: [Platform, CommandRunner, SessionsService, SignInAttempts],
        },
        {
          provide: SignInService,
          useFactory: (sessions: SessionsService, secondFactor: SecondFactorService) =>
            new SignInService(sessions, secondFactor),
          inject: [SessionsService, SecondFactorService],
        },
        {
          provide: PasswordSignInService,
          useFactory: (
            platform: Platform,
            commands: CommandRunner,
            emails: EmailVerificationService,
            sessions: SessionsService,
            signIn: SignInService,
            attempts: SignInAttempts,
          ) =>
            new PasswordSignInService({
              platform,
              commands,
              emails,
              sessions,
              signIn,
              attempts,
              hasher: new PasswordHasher(),
            }),
          inject: [
            Platform,
            CommandRunner,
            EmailVerificationService,
            SessionsService,
            SignInService,
            SignInAttempts,
          ],
        },
        {
          provide: ProviderSignInService,
          useFactory: (platform: Platform, sessions: SessionsService, signIn: SignInService) =>
            new ProviderSignInService({ platform, sessions, signIn }),
          inject: [Platform, SessionsService, SignInService],
        },
        {
          provide: PasskeySignInService,
          useFactory: (platform: Platform, signIn: SignInService) =>
            new PasskeySignInService({ platform, signIn, options: passkeys }),
          inject: [Platform, SignInService],
        },
        {
          provide: DeprecatedUsageService,
          useFactory: (platform: Platform) => new DeprecatedUsageService(platform),
          inject: [Platform],
        },
      ],
      exports: [
        SessionsService,
        SignInService,
        SecondFactorService,
        PasswordSignInService,
        ProviderSignInService,
        PasskeySignInService,
        DeprecatedUsageService,
      ],
    };
  }
}
