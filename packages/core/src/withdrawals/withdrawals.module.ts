import { type DynamicModule, Module } from '@nestjs/common';
import type { Decimal } from '@trading-automation/contracts';
import { Ledger, LedgerModule } from '../ledger/index.js';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { WithdrawalsService } from './withdrawals.service.js';

export interface WithdrawalSettings {
  /** The fee of a withdrawal in reward tokens. */
  readonly fee: Decimal;
}

/** Provides withdrawals to an API. */
@Module({})
export class WithdrawalsModule {
  static with({ fee }: WithdrawalSettings): DynamicModule {
    return {
      module: WithdrawalsModule,
      imports: [LedgerModule],
      providers: [
        {
          provide: WithdrawalsService,
          useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner, ledger: Ledger) =>
            new WithdrawalsService({ platform, lists, commands, ledger, fee }),
          inject: [Platform, ListReader, CommandRunner, Ledger],
        },
      ],
      exports: [WithdrawalsService],
    };
  }
}
