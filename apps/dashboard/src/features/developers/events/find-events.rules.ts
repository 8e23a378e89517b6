/** Finds the events of a record. The API filters events by type, but not by record. */
import type { WebhookEvent } from '@trading-automation/sdk';

type Event = WebhookEvent<'string'>;

export interface FoundEvents {
  readonly events: readonly Event[];
  /** The number of events that were compared. */
  readonly searched: number;
  /** Further events were not compared. */
  readonly hasMore: boolean;
}

export interface SearchLimits {
  readonly searched: number;
  readonly found: number;
}

export const isEventId = (id: string) => id.startsWith('evt_');

/** Returns whether an event is about a record, or its record refers to it. */
const mentions = ({ data }: Event, id: string) => JSON.stringify(data).includes(JSON.stringify(id));

/** Compares events in their order until one of the limits is reached. */
export async function findEvents(
  events: AsyncIterable<Event>,
  id: string,
  limits: SearchLimits,
): Promise<FoundEvents> {
  const found: Event[] = [];
  let searched = 0;
  for await (const event of events) {
    if (searched === limits.searched || found.length === limits.found)
      return { events: found, searched, hasMore: true };
    searched += 1;
    if (mentions(event, id)) found.push(event);
  }
  return { events: found, searched, hasMore: false };
}
