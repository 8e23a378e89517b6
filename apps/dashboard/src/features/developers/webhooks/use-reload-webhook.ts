'use client';
import { useQueryClient } from '@tanstack/react-query';

/** Loads webhooks, deliveries and dead letters again, after an action that changed them. */
export function useReloadWebhook() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ['webhooks', 'deliveries', 'dead-letters'].map((kind) =>
        queries.invalidateQueries({ queryKey: [kind] }),
      ),
    );
}
