import { type DynamicModule, Module } from '@nestjs/common';
import { type PickedEngine, type ReplayWindow } from '@trading-automation/signed-request';
import { Commands } from '../commands.js';
import { Lists } from '../lists.js';
import { Platform } from '../platform.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authentication } from './authentication.service.js';
import { CredentialLookup } from './credential-lookup.service.js';
import { CredentialUse } from './credential-use.service.js';
import { IdentityService } from './identity.service.js';

export interface AccessOptions {
  readonly engine: PickedEngine['engine'];
  readonly replayWindow: ReplayWindow;
  readonly openRegistration: boolean;
}

/** Users and their credentials, for an API. */
@Module({})
export class AccessModule {
  static with({ engine, replayWindow, openRegistration }: AccessOptions): DynamicModule {
    return {
      module: AccessModule,
      providers: [
        {
          provide: Authentication,
          useFactory: (platform: Platform) =>
            new Authentication({
              platform,
              engine,
              replayWindow,
              lookup: new CredentialLookup(platform),
              use: new CredentialUse(platform),
            }),
          inject: [Platform],
        },
        {
          provide: ApiKeysService,
          useFactory: (platform: Platform, lists: Lists, commands: Commands) =>
            new ApiKeysService(platform, lists, commands),
          inject: [Platform, Lists, Commands],
        },
        {
          provide: IdentityService,
          useFactory: (platform: Platform, commands: Commands) =>
            new IdentityService({ platform, commands, engine, openRegistration }),
          inject: [Platform, Commands],
        },
      ],
      exports: [Authentication, ApiKeysService, IdentityService],
    };
  }
}
