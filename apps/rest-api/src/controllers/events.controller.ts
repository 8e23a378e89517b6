import { Controller } from '@nestjs/common';
import { eventOperations } from '@trading-automation/contracts';
import { EventStreamsService } from '@trading-automation/core/events';
import { type Call, Operation } from '../http/operation.js';

const operations = eventOperations;

@Controller()
export class EventsController {
  constructor(private readonly streams: EventStreamsService) {}

  @Operation(operations.stream)
  stream({ actor, incoming, query }: Call<typeof operations.stream>) {
    const lastEventId = lastEventIdIn(incoming.rawHeaders) ?? query.last_event_id;
    return this.streams.open(actor, incoming, { type: query.type, lastEventId });
  }
}

/** Returns the Last-Event-ID header, which clients send when they reconnect; undefined if it is missing or empty. */
function lastEventIdIn(rawHeaders: readonly string[]): string | undefined {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'last-event-id');
  return (at < 0 ? undefined : rawHeaders[at + 1]) || undefined;
}
