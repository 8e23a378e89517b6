import { Module } from '@nestjs/common';
import { Commands } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { EmergencyStopService } from './emergency-stop.service.js';

/** For an API. */
@Module({
  providers: [
    {
      provide: EmergencyStopService,
      useFactory: (platform: Platform, commands: Commands) => new EmergencyStopService(platform, commands),
      inject: [Platform, Commands],
    },
  ],
  exports: [EmergencyStopService],
})
export class EmergencyStopModule {}
