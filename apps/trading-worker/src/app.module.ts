import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { CoreModule, type Platform } from '@trading-automation/core';
import { AccountUpkeep, AccountUpkeepModule } from '@trading-automation/core/exchange-accounts';
import { RewardAccrual, RewardAccrualModule } from '@trading-automation/core/rewards';
import type { Opener } from '@trading-automation/core/sealing';
import { PairCatalogue, PairCatalogueModule } from '@trading-automation/core/trade-pairs';
import { TradeExecution, TradeExecutionModule } from '@trading-automation/core/trades';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { Config } from './config.js';
import { Desks } from './desk/desks.js';
import { RewardGrants } from './jobs/reward-grants.js';
import { TradeQueue } from './jobs/trade-queue.js';
import { TradesJob } from './jobs/trades.job.js';
import { Schedules } from './schedules/schedules.js';
import { Worker } from './worker.js';

export interface WorkerSurroundings {
  readonly config: Config;
  readonly logger: Logger;
  readonly platform: Platform;
  readonly opener: Opener;
  readonly venues: readonly ExchangeVenue[];
}

@Module({})
export class AppModule {
  static in({ config, logger, platform, opener, venues }: WorkerSurroundings): DynamicModule {
    const prefix = `trading-${config.WORLD}`;
    return {
      module: AppModule,
      imports: [
        CoreModule.forWorker(platform),
        AccountUpkeepModule,
        PairCatalogueModule,
        TradeExecutionModule,
        RewardAccrualModule.with({
          amounts: {
            SIGN_UP: config.REWARD_SIGN_UP_AMOUNT,
            FIRST_TRADE: config.REWARD_FIRST_TRADE_AMOUNT,
          },
          expiresDays: config.REWARD_EXPIRES_DAYS,
        }),
        BullModule.forRoot({
          connection: { url: config.REDIS_URL, maxRetriesPerRequest: null },
          prefix,
        }),
        BullModule.registerQueue(),
      ],
      providers: [
        {
          provide: Desks,
          useFactory: (upkeep: AccountUpkeep, execution: TradeExecution) =>
            new Desks({ venues, opener, logger, upkeep, execution }),
          inject: [AccountUpkeep, TradeExecution],
        },
        {
          provide: Schedules,
          useFactory: (
            desks: Desks,
            pairs: PairCatalogue,
            execution: TradeExecution,
            upkeep: AccountUpkeep,
          ) => new Schedules({ platform, config, desks, pairs, execution, upkeep, logger }),
          inject: [Desks, PairCatalogue, TradeExecution, AccountUpkeep],
        },
        {
          provide: TradeQueue,
          useFactory: (schedules: Schedules) =>
            new TradeQueue(config.REDIS_URL, prefix, schedules.errorsOf('the queue of trades is away')),
          inject: [Schedules],
        },
        {
          provide: RewardGrants,
          useFactory: (accrual: RewardAccrual, schedules: Schedules) =>
            new RewardGrants(accrual, schedules.errorsOf('rewards were not granted')),
          inject: [RewardAccrual, Schedules],
        },
        TradesJob,
        Worker,
      ],
    };
  }
}
