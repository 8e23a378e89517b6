import {
  DomainError,
  decodeId,
  type EventCatalogue,
  eventCatalogueEntries,
  eventOperations,
  expandEventSelector,
  StoredJson,
} from '@trading-automation/contracts';

import {
  type Actor,
  authorise,
  type ListQuery,
  type ListReader,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { WITHIN_RETENTION } from './events.queries.js';

interface EventRow extends Record<string, unknown> {
  readonly payload: Buffer;
}

const eventView = ({ payload }: EventRow): StoredJson => StoredJson.of(payload.toString());

/** Reads events as stored, in the form that webhooks receive. */
export class EventsService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
  ) {}

  async list(
    actor: Actor,
    query: ListQuery & { type?: string | undefined },
  ): Promise<PageWithCursors<StoredJson>> {
    authorise(actor, eventOperations.list.access);
    const filter = typeFilter(query.type);
    const source = {
      select: 'e.payload',
      from: 'outbox_events e',
      where: ['e.user_id = $1', WITHIN_RETENTION, ...filter.where],
      params: [actor.userId, ...filter.params],
      sorts: { created_at: { column: 'e.created_at', type: 'timestamptz' as const } },
      idColumn: 'e.id',
    };
    const page = await this.lists.page<EventRow>(eventOperations.list, actor.userId, source, query);
    return { ...page, items: page.items.map(eventView) };
  }

  /** Returns the kinds of events, with their descriptions and schemas. */
  types(actor: Actor, { type = '*' }: { type?: string | undefined }): EventCatalogue {
    authorise(actor, eventOperations.types.access);
    const requested = expandEventSelector(type);
    return { types: eventCatalogueEntries().filter((kind) => requested.includes(kind.type)) };
  }

  async get(actor: Actor, id: string): Promise<StoredJson> {
    authorise(actor, eventOperations.get.access);
    const uuid = decodeId('evt', id);
    const [row] =
      uuid === null
        ? []
        : await this.platform.database.query(
            `SELECT e.payload FROM outbox_events e WHERE e.id = $1 AND e.user_id = $2 AND ${WITHIN_RETENTION}`,
            [uuid, actor.userId],
          );
    if (row === undefined) throw new DomainError('not_found');
    return eventView(row);
  }
}

/** Builds the SQL condition on the event type. One type uses `=`, so that one index serves both filter and order. */
function typeFilter(selector: string | undefined): { where: string[]; params: unknown[] } {
  if (selector === undefined || selector === '*') return { where: [], params: [] };
  const types = expandEventSelector(selector);
  if (types.length === 1) return { where: ['e.type = $2'], params: [types[0]] };
  return { where: ['e.type = ANY ($2)'], params: [types] };
}
