import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { AnalyticsService } from './analytics.service.js';

/** For the API processes. */
@Module({
  providers: [
    {
      provide: AnalyticsService,
      useFactory: (platform: Platform) => new AnalyticsService(platform),
      inject: [Platform],
    },
  ],
  exports: [AnalyticsService],
})
export class AnalyticsModule {}
