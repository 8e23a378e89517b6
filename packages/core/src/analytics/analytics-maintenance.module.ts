import { Module } from '@nestjs/common';
import { Platform } from '../platform/index.js';
import { DailyRollups } from './daily-rollups.service.js';
import { EquitySnapshots } from './equity-snapshots.service.js';

/** For the trading worker. */
@Module({
  providers: [EquitySnapshots, DailyRollups].map((service) => ({
    provide: service,
    useFactory: (platform: Platform) => new service(platform),
    inject: [Platform],
  })),
  exports: [EquitySnapshots, DailyRollups],
})
export class AnalyticsMaintenanceModule {}
