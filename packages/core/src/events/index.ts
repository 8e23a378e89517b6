export { type EventStreamRequest, EventStreamsService } from './event-streams.service.js';
export { EventSubscription, type StreamedEvent } from './event-subscription.js';
export { EventsModule } from './events.module.js';
export { EventsService } from './events.service.js';
export { type LeaseKind, StreamLeases } from './stream-leases.service.js';
