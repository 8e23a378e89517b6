import { Module } from '@nestjs/common';
import { ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { PairCatalogue } from './pair-catalogue.service.js';
import { TradePairsService } from './trade-pairs.service.js';

/** Provides TradePairsService to the REST and GraphQL APIs. */
@Module({
  providers: [
    {
      provide: TradePairsService,
      useFactory: (platform: Platform, lists: ListReader) => new TradePairsService(platform, lists),
      inject: [Platform, ListReader],
    },
  ],
  exports: [TradePairsService],
})
export class TradePairsModule {}

/** Provides PairCatalogue to the trading worker. */
@Module({
  providers: [
    {
      provide: PairCatalogue,
      useFactory: (platform: Platform) => new PairCatalogue(platform),
      inject: [Platform],
    },
  ],
  exports: [PairCatalogue],
})
export class PairCatalogueModule {}
