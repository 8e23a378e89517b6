import { type DynamicModule, Module } from '@nestjs/common';
import type { Decimal } from '@trading-automation/contracts';
import { Ledger, LedgerModule } from '../ledger/index.js';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { WithdrawalAddressesService } from './addresses/withdrawal-addresses.service.js';
import type { WithdrawalPolicy } from './withdrawal.rules.js';
import { WithdrawalsService } from './withdrawals.service.js';

export interface WithdrawalSettings {
  /** The fee of a withdrawal in reward tokens. */
  readonly fee: Decimal;
  readonly policy: WithdrawalPolicy;
}

export interface WithdrawalsOptions extends WithdrawalSettings {
  /** The origin of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** Provides withdrawals and their address book to an API. */
@Module({})
export class WithdrawalsModule {
  static with({ fee, policy, publicUrl }: WithdrawalsOptions): DynamicModule {
    return {
      module: WithdrawalsModule,
      imports: [LedgerModule],
      providers: [
        {
          provide: WithdrawalsService,
          useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner, ledger: Ledger) =>
            new WithdrawalsService({ platform, lists, commands, ledger, fee, policy }),
          inject: [Platform, ListReader, CommandRunner, Ledger],
        },
        {
          provide: WithdrawalAddressesService,
          useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
            new WithdrawalAddressesService({ platform, lists, commands, policy, publicUrl }),
          inject: [Platform, ListReader, CommandRunner],
        },
      ],
      exports: [WithdrawalsService, WithdrawalAddressesService],
    };
  }
}
