import { Module } from '@nestjs/common';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { ExchangeAccountsService, ExchangeSecrets } from './exchange-accounts.service.js';

/** For an API; needs {@link ExchangeSecrets} from it. */
@Module({
  providers: [
    {
      provide: ExchangeAccountsService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands, secrets: ExchangeSecrets) =>
        new ExchangeAccountsService({ platform, lists, commands, secrets }),
      inject: [Platform, Lists, Commands, ExchangeSecrets],
    },
  ],
  exports: [ExchangeAccountsService],
})
export class ExchangeAccountsModule {}
