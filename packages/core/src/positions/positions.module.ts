import { Module } from '@nestjs/common';
import { ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { PositionsService } from './positions.service.js';

/** Provides PositionsService to the REST and GraphQL APIs. */
@Module({
  providers: [
    {
      provide: PositionsService,
      useFactory: (platform: Platform, lists: ListReader) => new PositionsService(platform, lists),
      inject: [Platform, ListReader],
    },
  ],
  exports: [PositionsService],
})
export class PositionsModule {}
