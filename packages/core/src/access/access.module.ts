import { type DynamicModule, Module } from '@nestjs/common';
import type { PickedEngine } from '@trading-automation/signed-request';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authentication } from './authentication.service.js';
import { CredentialLookup } from './credential-lookup.service.js';
import { EmailVerificationService } from './email-verification.service.js';
import { IdentityService } from './identity.service.js';
import { LastUsedRecorder } from './last-used-recorder.service.js';
import { PublicKeysService } from './public-keys.service.js';
import { RateLimiter } from './rate-limiter.js';

export interface AccessOptions {
  /** The library that verifies signatures. */
  readonly engine: PickedEngine['engine'];
  /** Whether a caller without credentials may open an account. */
  readonly isRegistrationOpen: boolean;
  /** The origin of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly rateLimiter: RateLimiter;
}

/** Provides users and their credentials to an API. */
@Module({})
export class AccessModule {
  static with({ engine, isRegistrationOpen, publicUrl, rateLimiter }: AccessOptions): DynamicModule {
    return {
      module: AccessModule,
      providers: [
        { provide: RateLimiter, useValue: rateLimiter },
        {
          provide: Authentication,
          useFactory: (platform: Platform) =>
            new Authentication({
              platform,
              engine,
              lookup: new CredentialLookup(platform),
              lastUsed: new LastUsedRecorder(platform),
            }),
          inject: [Platform],
        },
        {
          provide: ApiKeysService,
          useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
            new ApiKeysService(platform, lists, commands),
          inject: [Platform, ListReader, CommandRunner],
        },
        {
          provide: IdentityService,
          useFactory: (platform: Platform, commands: CommandRunner) =>
            new IdentityService({ platform, commands, engine, isRegistrationOpen }),
          inject: [Platform, CommandRunner],
        },
        {
          provide: PublicKeysService,
          useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
            new PublicKeysService(platform, lists, commands),
          inject: [Platform, ListReader, CommandRunner],
        },
        {
          provide: EmailVerificationService,
          useFactory: (platform: Platform, commands: CommandRunner) =>
            new EmailVerificationService({ platform, commands, publicUrl }),
          inject: [Platform, CommandRunner],
        },
      ],
      exports: [
        Authentication,
        RateLimiter,
        ApiKeysService,
        EmailVerificationService,
        IdentityService,
        PublicKeysService,
      ],
    };
  }
}
