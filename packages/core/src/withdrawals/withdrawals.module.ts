import { type DynamicModule, Module } from '@nestjs/common';
import type { Decimal } from '@trading-automation/contracts';
import { Ledger, LedgerModule } from '../ledger/index.js';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { WithdrawalsService } from './withdrawals.service.js';

export interface WithdrawalSettings {
  /** In reward tokens. */
  readonly fee: Decimal;
}

/** For an API. */
@Module({})
export class WithdrawalsModule {
  static with({ fee }: WithdrawalSettings): DynamicModule {
    return {
      module: WithdrawalsModule,
      imports: [LedgerModule],
      providers: [
        {
          provide: WithdrawalsService,
          useFactory: (platform: Platform, lists: Lists, commands: Commands, ledger: Ledger) =>
            new WithdrawalsService({ platform, lists, commands, ledger, fee }),
          inject: [Platform, Lists, Commands, Ledger],
        },
      ],
      exports: [WithdrawalsService],
    };
  }
}
