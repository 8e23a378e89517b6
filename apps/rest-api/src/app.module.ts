import { type DynamicModule, Module } from '@nestjs/common';
import { OPERATIONS } from '@trading-automation/contracts';
import { CoreModule, HealthService, type Platform } from '@trading-automation/core';
import { AccessModule, type AccessOptions, RedisReplayWindow } from '@trading-automation/core/access';
import { ExchangeAccountsModule, ExchangeSecrets } from '@trading-automation/core/exchange-accounts';
import { TradePairsModule } from '@trading-automation/core/trade-pairs';
import { TradesModule } from '@trading-automation/core/trades';
import { WebhookSecrets, WebhooksModule } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { Redis } from 'ioredis';
import type { Config } from './config.js';
import { AccessController } from './controllers/access.controller.js';
import { ExchangeAccountsController } from './controllers/exchange-accounts.controller.js';
import { Build, ServiceController } from './controllers/service.controller.js';
import { TradePairsController } from './controllers/trade-pairs.controller.js';
import { TradesController } from './controllers/trades.controller.js';
import { WebhooksController } from './controllers/webhooks.controller.js';
import { HttpModule } from './http/http.module.js';

export interface Secrets {
  readonly exchange: ExchangeSecrets;
  readonly webhook: WebhookSecrets;
}

export interface AppParts {
  readonly config: Config;
  readonly version: string;
  readonly platform: Platform;
  readonly redis: Redis;
  readonly engine: AccessOptions['engine'];
  readonly secrets: Secrets;
  readonly logger: Logger;
}

@Module({})
export class AppModule {
  static of({ config, version, platform, redis, engine, secrets, logger }: AppParts): DynamicModule {
    const access = AccessModule.with({
      engine,
      replayWindow: new RedisReplayWindow(redis),
      openRegistration: config.OPEN_REGISTRATION,
    });
    return {
      module: AppModule,
      imports: [
        CoreModule.forApi(platform, config.SERVER_KEYS),
        secretsModule(secrets),
        access,
        ExchangeAccountsModule,
        TradePairsModule,
        TradesModule,
        WebhooksModule,
        HttpModule.serving({ operations: OPERATIONS, logger, access }),
      ],
      controllers: [
        AccessController,
        ExchangeAccountsController,
        ServiceController,
        TradePairsController,
        TradesController,
        WebhooksController,
      ],
      providers: [
        { provide: Build, useValue: new Build(version, config.COMMIT, config.WORLD) },
        { provide: HealthService, useValue: new HealthService(platform, () => redis.ping()) },
      ],
    };
  }
}

@Module({})
class SecretsModule {}

/** What seals secrets to the processes that open them, for the features that take such. */
function secretsModule({ exchange, webhook }: Secrets): DynamicModule {
  return {
    module: SecretsModule,
    global: true,
    providers: [
      { provide: ExchangeSecrets, useValue: exchange },
      { provide: WebhookSecrets, useValue: webhook },
    ],
    exports: [ExchangeSecrets, WebhookSecrets],
  };
}
