import { type DynamicModule, Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { marketDataPrefix } from '../market-data/index.js';
import { ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { PairCatalogue } from './pair-catalogue.service.js';
import { PairMarketData } from './pair-market-data.service.js';
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

/** Provides PairMarketData to the REST and GraphQL APIs. */
@Module({})
export class PairMarketDataModule {
  static with(redis: Redis): DynamicModule {
    const service = {
      provide: PairMarketData,
      useFactory: (platform: Platform) =>
        new PairMarketData({ platform, redis, prefix: marketDataPrefix(platform.world) }),
      inject: [Platform],
    };
    return { module: PairMarketDataModule, providers: [service], exports: [service] };
  }
}

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
