import { Module } from '@nestjs/common';
import { Commands, Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { NotificationRelay } from './notification-relay.js';
import { NotificationsService } from './notifications.service.js';

/** For an API. */
@Module({
  providers: [
    {
      provide: NotificationsService,
      useFactory: (platform: Platform, lists: Lists, commands: Commands) =>
        new NotificationsService(platform, lists, commands),
      inject: [Platform, Lists, Commands],
    },
  ],
  exports: [NotificationsService],
})
export class NotificationsModule {}

/** For the dispatcher. */
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
