'use client';
import { api } from '../../../data/api';
import { queryOptions } from '../../../data/query';

const ATTEMPTS_MAX = 200;

/** The attempts to deliver one event to a webhook, newest first. */
export const eventAttemptsQuery = (webhookId: string, eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, 'event', eventId],
    queryFn: ({ signal }) =>
      api()
        .webhooks.deliveries(webhookId, { event_id: eventId, limit: 100 }, { signal })
        .toArray({ limit: ATTEMPTS_MAX }),
  });
