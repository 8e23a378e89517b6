import { Module } from '@nestjs/common';
import { Commands } from '../commands.js';
import { Platform } from '../platform.js';
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
