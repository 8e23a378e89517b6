import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { AccountRights } from './account-rights.js';
import { AccountSyncService } from './account-sync.service.js';
import { VenueCatalogue } from './venue-catalogue.service.js';

/** Account synchronisation for the trading worker. */
@Module({
  providers: [
    {
      provide: AccountSyncService,
      useFactory: (platform: Platform) => new AccountSyncService(platform),
      inject: [Platform],
    },
    {
      provide: AccountRights,
      useFactory: (platform: Platform) => new AccountRights(platform),
      inject: [Platform],
    },
    {
      provide: VenueCatalogue,
      useFactory: (platform: Platform) => new VenueCatalogue(platform),
      inject: [Platform],
    },
  ],
  exports: [AccountSyncService, AccountRights, VenueCatalogue],
})
export class AccountSyncModule {}
