import { Module } from '@nestjs/common';
import { CommandRunner, ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { NotificationRelay } from './notification-relay.service.js';
import { NotificationsService } from './notifications.service.js';

/** Provides notifications to an API. */
@Module({
  providers: [
    {
      provide: NotificationsService,
      useFactory: (platform: Platform, lists: ListReader, commands: CommandRunner) =>
        new NotificationsService(platform, lists, commands),
      inject: [Platform, ListReader, CommandRunner],
    },
  ],
  exports: [NotificationsService],
})
export class NotificationsModule {}

/** Provides the notification relay to the dispatcher. */
@Module({
  providers: [
    {
      provide: NotificationRelay,
      useFactory: (platform: Platform) => new NotificationRelay(platform),
      inject: [Platform],
    },
  ],
  exports: [NotificationRelay],
})
export class NotificationRelayModule {}
