import { Resolver } from '@nestjs/graphql';
import { eventOperations } from '@trading-automation/contracts';
import { EventsService } from '@trading-automation/core/events';
import { type Call, Operation } from '../graphql/operation.js';

@Resolver()
export class EventsResolver {
  constructor(private readonly eventLog: EventsService) {}

  @Operation(eventOperations.list)
  events(call: Call<typeof eventOperations.list>) {
    return this.eventLog.list(call.actor, call.query);
  }

  @Operation(eventOperations.get)
  event(call: Call<typeof eventOperations.get>) {
    return this.eventLog.get(call.actor, call.params.id);
  }

  @Operation(eventOperations.types)
  eventTypes(call: Call<typeof eventOperations.types>) {
    return this.eventLog.types(call.actor, call.query);
  }
}
