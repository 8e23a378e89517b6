import { type DynamicModule, Module } from '@nestjs/common';
import { ListReader } from '../operations/index.js';
import { Platform } from '../platform/index.js';
import { EventStreamsService } from './event-streams.service.js';
import { EventsService } from './events.service.js';

export interface EventsOptions {
  /** How many event streams a user may have open with all credentials together. */
  readonly streamsPerUser: number;
}

/** Provides events and their streams to an API. */
@Module({})
export class EventsModule {
  static with({ streamsPerUser }: EventsOptions): DynamicModule {
    return {
      module: EventsModule,
      providers: [
        {
          provide: EventsService,
          useFactory: (platform: Platform, lists: ListReader) => new EventsService(platform, lists),
          inject: [Platform, ListReader],
        },
        {
          provide: EventStreamsService,
          useFactory: (platform: Platform) => new EventStreamsService(platform, streamsPerUser),
          inject: [Platform],
        },
      ],
      exports: [EventsService, EventStreamsService],
    };
  }
}
