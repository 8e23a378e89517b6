import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { CredentialsSealer, ExchangeAccountsService } from './exchange-accounts.service.js';

/** Exchange accounts for the APIs; the API provides the {@link CredentialsSealer}. */
@Module({
  providers: [
    {
      provide: ExchangeAccountsService,
      useFactory: (
        platform: Platform,
        lists: ListReader,
        commands: CommandRunner,
        credentialsSealer: CredentialsSealer,
      ) => new ExchangeAccountsService({ platform, lists, commands, credentialsSealer }),
      inject: [Platform, ListReader, CommandRunner, CredentialsSealer],
    },
  ],
  exports: [ExchangeAccountsService],
})
export class ExchangeAccountsModule {}
