import { Module } from '@nestjs/common';
import { ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { EventStreamsService } from './event-streams.service.js';
import { EventsService } from './events.service.js';

/** Provides events and their streams to an API. */
@Module({
  providers: [
    {
      provide: EventsService,
      useFactory: (platform: Platform, lists: ListReader) => new EventsService(platform, lists),
      inject: [Platform, ListReader],
    },
    {
      provide: EventStreamsService,
      useFactory: (platform: Platform) => new EventStreamsService(platform),
      inject: [Platform],
    },
  ],
  exports: [EventsService, EventStreamsService],
})
export class EventsModule {}
