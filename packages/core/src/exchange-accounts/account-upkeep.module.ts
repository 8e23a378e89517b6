import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { AccountUpkeep } from './account-upkeep.service.js';
import { VenueCatalogue } from './venue-catalogue.service.js';

/** For the trading worker. */
@Module({
  providers: [
    {
      provide: AccountUpkeep,
      useFactory: (platform: Platform) => new AccountUpkeep(platform),
      inject: [Platform],
    },
    {
      provide: VenueCatalogue,
      useFactory: (platform: Platform) => new VenueCatalogue(platform),
      inject: [Platform],
    },
  ],
  exports: [AccountUpkeep, VenueCatalogue],
})
export class AccountUpkeepModule {}
