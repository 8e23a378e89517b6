import { Module } from '@nestjs/common';
import { CommandRunner } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { EmergencyStopService } from './emergency-stop.service.js';

/** Provides EmergencyStopService to the REST and GraphQL APIs. */
@Module({
  providers: [
    {
      provide: EmergencyStopService,
      useFactory: (platform: Platform, commands: CommandRunner) =>
        new EmergencyStopService(platform, commands),
      inject: [Platform, CommandRunner],
    },
  ],
  exports: [EmergencyStopService],
})
export class EmergencyStopModule {}
