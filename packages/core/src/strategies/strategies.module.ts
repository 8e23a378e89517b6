import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { StrategiesService } from './strategies.service.js';

/** Provides StrategiesService to the REST and GraphQL APIs. */
@Module({
  providers: [
    {
      provide: StrategiesService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new StrategiesService(platform, lists, commands),
      inject: [Platform, ListReader, CommandRunner],
    },
  ],
  exports: [StrategiesService],
})
export class StrategiesModule {}
