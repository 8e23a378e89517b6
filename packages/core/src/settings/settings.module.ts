import { Module } from '@nestjs/common';
import { Commands } from '../commands.js';
import { Lists } from '../lists.js';
import { Platform } from '../platform.js';
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
