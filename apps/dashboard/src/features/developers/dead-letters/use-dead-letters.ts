'use client';
import type { DeadLetterStats, Webhook } from '@trading-automation/sdk';
import { parseAsString, useQueryState } from 'nuqs';
import { useCallback } from 'react';
import { useQueries } from '../../../data/queries';
import { LATE, useQuery, useQueryClient } from '../../../data/query';
import { allWebhooksQuery } from '../shared/all-webhooks';
import { deadLetterStatsQuery } from '../shared/dead-letter-stats';

export interface Receiver {
  readonly webhook: Webhook;
  readonly stats: DeadLetterStats | undefined;
}

/** The webhooks with the numbers of their dead letters, and the one that the address names. */
export function useReceivers(webhookId: string | undefined) {
  const [named, choose] = useQueryState('webhook', parseAsString);
  const wanted = webhookId ?? named;
  const webhooks = useQuery(allWebhooksQuery);
  const stats = useQueries({
    // The page needs the numbers of all webhooks at first only to choose one of them.
    queries: (webhooks.data ?? []).map(({ id }) =>
      wanted === null || wanted === id
        ? deadLetterStatsQuery(id)
        : { ...deadLetterStatsQuery(id), meta: LATE },
    ),
  });
  const receivers = (webhooks.data ?? []).map((webhook, i): Receiver => ({ webhook, stats: stats[i]?.data }));
  const areCounted = stats.every(({ isPending }) => !isPending);
  const chosen =
    receivers.find(({ webhook }) => webhook.id === wanted) ??
    // Wait for the numbers, so that the page does not change its webhook while it loads.
    (areCounted
      ? (receivers.find((receiver) => (receiver.stats?.pending ?? 0) > 0) ?? receivers[0])
      : undefined);
  return { webhooks, receivers, chosen, choose: (id: string) => void choose(id) };
}

/** Loads again what a retry or a discard has changed. */
export function useReloadDeadLetters() {
  const queries = useQueryClient();
  return useCallback(
    () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['dead-letters'] }),
        queries.invalidateQueries({ queryKey: ['deliveries'] }),
      ]),
    [queries],
  );
}
