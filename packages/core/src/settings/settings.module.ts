import { Module } from '@nestjs/common';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { SettingsService } from './settings.service.js';

@Module({
  providers: [
    {
      provide: SettingsService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands) =>
        new SettingsService(platform, lists, commands),
      inject: [Platform, Lists, Commands],
    },
  ],
  exports: [SettingsService],
})
export class SettingsModule {}
