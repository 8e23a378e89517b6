import { Module } from '@nestjs/common';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { StrategiesService } from './strategies.service.js';

/** For an API. */
@Module({
  providers: [
    {
      provide: StrategiesService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands) =>
        new StrategiesService(platform, lists, commands),
      inject: [Platform, Lists, Commands],
    },
  ],
  exports: [StrategiesService],
})
export class StrategiesModule {}
