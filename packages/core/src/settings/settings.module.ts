import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { SettingsService } from './settings.service.js';

@Module({
  providers: [
    {
      provide: SettingsService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new SettingsService(platform, lists, commands),
      inject: [Platform, ListReader, CommandRunner],
    },
  ],
  exports: [SettingsService],
})
export class SettingsModule {}
