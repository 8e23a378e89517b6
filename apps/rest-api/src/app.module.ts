import { type DynamicModule, Module } from '@nestjs/common';
import { OPERATIONS } from '@trading-automation/contracts';
import { HealthService, OperationsModule, type Platform, PlatformModule } from '@trading-automation/core';
import {
  AccessModule,
  type AccessOptions,
  createRateLimitStore,
  type NonceEpoch,
  RateLimiter,
} from '@trading-automation/core/access';
import { type ApiSecrets, apiFeatures, BuildInfo, USE_CASES } from '@trading-automation/core/api';
import { SignInLinksModule } from '@trading-automation/core/sign-in';
import { withdrawalSettingsOf } from '@trading-automation/core/withdrawals';
import type { Logger } from '@trading-automation/runtime';
import type { Redis } from 'ioredis';
import type { Config } from './config.js';
import { AccessController } from './controllers/access.controller.js';
import { EventsController } from './controllers/events.controller.js';
import { HttpModule } from './http/http.module.js';

export interface AppModuleOptions {
  readonly config: Config;
  readonly version: string;
  readonly platform: Platform;
  readonly redis: Redis;
  readonly nonces: NonceEpoch;
  readonly engine: AccessOptions['engine'];
  readonly secrets: ApiSecrets;
  /** Returns the origin at which clients reach this API, for example `https://api.example.com`. */
  readonly publicUrl: () => string;
  readonly logger: Logger;
}

@Module({})
export class AppModule {
  static with({
    config,
    version,
    platform,
    redis,
    nonces,
    engine,
    secrets,
    publicUrl,
    logger,
  }: AppModuleOptions): DynamicModule {
    const access = AccessModule.with({
      engine,
      isRegistrationOpen: config.OPEN_REGISTRATION,
      publicUrl,
      rateLimiter: new RateLimiter(config.RATE_LIMITS, createRateLimitStore(redis, nonces)),
    });
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(platform),
        OperationsModule.with(platform, config.SERVER_KEYS),
        access,
        SignInLinksModule.with({ isRegistrationOpen: config.OPEN_REGISTRATION }),
        ...apiFeatures({
          engine,
          secrets,
          redis,
          withdrawals: withdrawalSettingsOf(config),
          publicUrl,
          streamsPerUser: config.STREAMS_PER_USER,
        }),
        HttpModule.with({ operations: OPERATIONS, useCases: USE_CASES, logger, access }),
      ],
      controllers: [AccessController, EventsController],
      providers: [
        { provide: BuildInfo, useValue: new BuildInfo(version, config.COMMIT, platform) },
        {
          provide: HealthService,
          useValue: new HealthService(
            platform,
            () => redis.ping(),
            () => nonces.isConfirmed,
          ),
        },
      ],
    };
  }
}
