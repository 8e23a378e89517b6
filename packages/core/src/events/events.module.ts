import { Module } from '@nestjs/common';
import { Lists } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { EventStreams } from './event-streams.service.js';
import { EventsService } from './events.service.js';

/** For an API. */
@Module({
  providers: [
    {
      provide: EventsService,
      useFactory: (platform: Platform, lists: Lists) => new EventsService(platform, lists),
      inject: [Platform, Lists],
    },
    {
      provide: EventStreams,
      useFactory: (platform: Platform) => new EventStreams(platform),
      inject: [Platform],
    },
  ],
  exports: [EventsService, EventStreams],
})
export class EventsModule {}
