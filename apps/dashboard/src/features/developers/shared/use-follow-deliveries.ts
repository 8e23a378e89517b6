'use client';
import { useEffect, useRef } from 'react';
import { api } from '../../../data/api';
import { useEvents } from '../../../data/live';
import { LATE, useQuery, useQueryClient } from '../../../data/query';
import { nextCheckMs } from '../webhooks/delivery-state.rules';

const ALL = [['deliveries'], ['webhooks'], ['dead-letters']];

/**
 * Keeps what a page shows of the deliveries of a webhook current. An attempt is no event, so that this asks for the newest
 * attempts while another one can follow.
 */
export function useFollowDeliveries(webhookId: string | undefined): void {
  const queries = useQueryClient();
  const eventAtMs = useRef(0);
  const shown = useRef<string>(undefined);
  useEvents(() => {
    eventAtMs.current = Date.now();
  });
  const { data } = useQuery({
    queryKey: ['deliveries', webhookId, 'newest'],
    queryFn: async ({ signal }) =>
      (await api().webhooks.deliveries(webhookId ?? '', { limit: 50 }, { signal })).data,
    enabled: webhookId !== undefined,
    meta: LATE,
    refetchInterval: ({ state }) => nextCheckMs(state.data ?? [], Date.now(), eventAtMs.current) ?? false,
  });
  useEffect(() => {
    if (data === undefined) return;
    const newest = `${webhookId} ${data[0]?.id}`;
    if (shown.current === newest) return;
    // On the first check, only the webhook may be older than its attempts: it is kept from an earlier page.
    const old = shown.current === undefined ? [['webhooks', webhookId]] : ALL;
    shown.current = newest;
    for (const queryKey of old) void queries.invalidateQueries({ queryKey });
  }, [data, webhookId, queries]);
}
