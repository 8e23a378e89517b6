import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { EquitySnapshots } from './equity-snapshots.service.js';
import { ResultDays } from './result-days.service.js';

/** For the trading worker. */
@Module({
  providers: [EquitySnapshots, ResultDays].map((service) => ({
    provide: service,
    useFactory: (platform: Platform) => new service(platform),
    inject: [Platform],
  })),
  exports: [EquitySnapshots, ResultDays],
})
export class AnalyticsUpkeepModule {}
