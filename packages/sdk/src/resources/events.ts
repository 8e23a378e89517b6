import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import { type EventStreamOptions, streamEvents } from '../core/event-stream.js';
import { buildRequest } from '../core/operation-client.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  EventCatalogue,
  EventsListQuery,
  EventsStreamQuery,
  EventsTypesQuery,
  WebhookEvent,
} from '../generated/records.js';

/** Your events. */
export class Events<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your events of the last 30 days.
   *
   * @example
   * for await (const event of client.events.list({ type: 'trade.*' })) console.log(event.type, event.event_id);
   */
  list(query: EventsListQuery = {}, options?: RequestOptions): PagePromise<WebhookEvent<D>> {
    return this.operations.list('events.list', { query }, options);
  }

  /**
   * Streams your events as they happen and reconnects automatically. To resume after an event, pass its id as
   * `lastEventId`.
   *
   * @example
   * for await (const event of client.events.stream({ type: 'trade.filled' })) {
   *   console.log(event.event_id, event.type);
   *   break; // leaving the loop closes the stream
   * }
   */
  stream(
    query: EventsStreamQuery = {},
    options: EventStreamOptions = {},
  ): AsyncGenerator<WebhookEvent<D>, void, undefined> {
    return streamEvents(this.operations.transport, buildRequest('events.stream', { query }), options);
  }

  /**
   * Returns the event types, each with the JSON Schema of its payload and a sample.
   *
   * @example
   * const { types } = await client.events.types();
   */
  types(query: EventsTypesQuery = {}, options?: RequestOptions): ApiPromise<EventCatalogue<D>> {
    return this.operations.call('events.types', { query }, options);
  }

  /**
   * Returns one event of the last 30 days.
   *
   * @example
   * const { type, data } = await client.events.get(eventId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<WebhookEvent<D>> {
    return this.operations.call('events.get', { params: { id } }, options);
  }
}
