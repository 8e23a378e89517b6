import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CommandRunner } from '../operations/index.js';
import { Platform, type ServerKeys } from '../platform/index.js';
import { CredentialChanges } from './credential-changes.js';
import { DeprecatedUsageService } from './deprecated-usage.service.js';
import type { PasskeyOptions } from './passkeys/passkey-settings.js';
import { PasskeySignInService } from './passkeys/passkey-sign-in.service.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordLogins } from './password-logins.js';
import { PasswordSignInService } from './password-sign-in.service.js';
import { ProviderSignInService } from './providers/provider-sign-in.service.js';
import { SecondFactorService } from './second-factor.service.js';
import { SecondFactorCodes } from './second-factor-codes.js';
import { ServerKeySealer } from './server-key-sealer.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';
import { SignInAttempts } from './sign-in-attempts.service.js';
import { SignInLinksService } from './sign-in-links.service.js';
import { SignInRequests } from './sign-in-requests.service.js';
import { TokenKeys } from './token-keys.service.js';

export interface SignInOptions {
  /** The application's `AccessModule`, which verifies e-mail addresses. */
  readonly access: DynamicModule;
  readonly serverKeys: ServerKeys;
  /** The origin that issues and accepts tokens, without a trailing slash. */
  readonly issuer: () => string;
  /** Whether a caller without credentials may open an account. */
  readonly isRegistrationOpen: boolean;
  /** The origin of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Undefined if passkeys are not offered. */
  readonly passkeys: PasskeyOptions | undefined;
}

/** Provides the deprecated sign-in methods to an API. */
@Module({})
export class SignInModule {
  static with(options: SignInOptions): DynamicModule {
    return {
      module: SignInModule,
      imports: [options.access],
      providers: [...sessionProviders(options), ...methodProviders(options)],
      exports: [
        SessionsService,
        SignInService,
        SecondFactorService,
        PasswordSignInService,
        SignInRequests,
        ProviderSignInService,
        PasskeySignInService,
        DeprecatedUsageService,
      ],
    };
  }
}

/** Provides sessions, the second factor, and the services that every method uses to open a session. */
function sessionProviders({ serverKeys, issuer, isRegistrationOpen }: SignInOptions): Provider[] {
  const sealer = new ServerKeySealer(serverKeys);
  return [
    {
      provide: SessionsService,
      useFactory: (platform: Platform) =>
        new SessionsService({ platform, keys: new TokenKeys(platform, sealer), issuer, isRegistrationOpen }),
      inject: [Platform],
    },
    {
      provide: SignInAttempts,
      useFactory: (platform: Platform) => new SignInAttempts(platform),
      inject: [Platform],
    },
    {
      provide: CredentialChanges,
      useFactory: (commands: CommandRunner) => new CredentialChanges(commands),
      inject: [CommandRunner],
    },
    {
      provide: SecondFactorService,
      useFactory: (
        platform: Platform,
        changes: CredentialChanges,
        sessions: SessionsService,
        attempts: SignInAttempts,
      ) => new SecondFactorService(platform, changes, sessions, new SecondFactorCodes(attempts, sealer)),
      inject: [Platform, CredentialChanges, SessionsService, SignInAttempts],
    },
    {
      provide: SignInService,
      useFactory: (sessions: SessionsService, secondFactor: SecondFactorService) =>
        new SignInService(sessions, secondFactor),
      inject: [SessionsService, SecondFactorService],
    },
  ];
}

/** Provides the sign-in methods, and the service that counts their uses. */
function methodProviders({ passkeys, isRegistrationOpen, publicUrl }: SignInOptions): Provider[] {
  const hasher = new PasswordHasher();
  return [
    {
      provide: PasswordLogins,
      useFactory: (platform: Platform, attempts: SignInAttempts) =>
        new PasswordLogins(platform, attempts, hasher),
      inject: [Platform, SignInAttempts],
    },
    {
      provide: SignInRequests,
      useFactory: (platform: Platform, attempts: SignInAttempts) =>
        new SignInRequests({ platform, attempts, hasher, isRegistrationOpen, publicUrl }),
      inject: [Platform, SignInAttempts],
    },
    {
      provide: PasswordSignInService,
      useFactory: (
        logins: PasswordLogins,
        sessions: SessionsService,
        signIn: SignInService,
        changes: CredentialChanges,
      ) => new PasswordSignInService(logins, sessions, signIn, changes),
      inject: [PasswordLogins, SessionsService, SignInService, CredentialChanges],
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
  ];
}

/** Provides the pages behind the links of registrations and password resets. */
@Module({})
export class SignInLinksModule {
  static with({ isRegistrationOpen }: Pick<SignInOptions, 'isRegistrationOpen'>): DynamicModule {
    return {
      module: SignInLinksModule,
      providers: [
        {
          provide: SignInLinksService,
          useFactory: (platform: Platform) =>
            new SignInLinksService({
              platform,
              attempts: new SignInAttempts(platform),
              hasher: new PasswordHasher(),
              isRegistrationOpen,
            }),
          inject: [Platform],
        },
      ],
      exports: [SignInLinksService],
    };
  }
}
