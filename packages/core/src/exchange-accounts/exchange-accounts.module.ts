import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CredentialsSealer, ExchangeAccountsService } from './exchange-accounts.service.js';

/** For an API; needs {@link CredentialsSealer} from it. */
@Module({
  providers: [
    {
      provide: ExchangeAccountsService,
      useFactory: (
        platform: Platform,
        lists: ListReader,
        commands: CommandRunner,
        secrets: CredentialsSealer,
      ) => new ExchangeAccountsService({ platform, lists, commands, credentialsSealer: secrets }),
      inject: [Platform, ListReader, CommandRunner, CredentialsSealer],
    },
  ],
  exports: [ExchangeAccountsService],
})
export class ExchangeAccountsModule {}
