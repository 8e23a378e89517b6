import { type DynamicModule, Module } from '@nestjs/common';
import { Ledger, LedgerModule } from '../ledger/index.js';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { type ProfitShareSettings, ProfitSharesService } from './profit-share/profit-shares.service.js';
import { RewardAccrual, type RewardSettings } from './reward-accrual.service.js';
import { RewardsService } from './rewards.service.js';

/** Provides an API with the service that lists and claims rewards. */
@Module({
  imports: [LedgerModule],
  providers: [
    {
      provide: RewardsService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner, ledger: Ledger) =>
        new RewardsService({ platform, lists, commands, ledger }),
      inject: [Platform, ListReader, CommandRunner, Ledger],
    },
  ],
  exports: [RewardsService],
})
export class RewardsModule {}

/** Provides the trading worker with the services that grant rewards. */
@Module({})
export class RewardAccrualModule {
  static with(settings: RewardSettings & ProfitShareSettings): DynamicModule {
    return {
      module: RewardAccrualModule,
      imports: [LedgerModule],
      providers: [
        {
          provide: RewardAccrual,
          useFactory: (platform: Platform, ledger: Ledger) => new RewardAccrual(platform, ledger, settings),
          inject: [Platform, Ledger],
        },
        {
          provide: ProfitSharesService,
          useFactory: (platform: Platform, ledger: Ledger) =>
            new ProfitSharesService(platform, ledger, settings),
          inject: [Platform, Ledger],
        },
      ],
      exports: [RewardAccrual, ProfitSharesService],
    };
  }
}
