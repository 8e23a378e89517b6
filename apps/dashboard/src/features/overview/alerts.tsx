'use client';
import { api } from '../../data/api';
import { accountsQuery, useAccounts } from '../../data/names';
import { queryOptions, useQuery } from '../../data/query';
import { useServerData } from '../../data/server-data';
import { onDemand } from '../../ui/on-demand';
import { Skeleton } from '../../ui/skeleton';
import { type Alert, alertsOf } from './alerts.rules';
import { useWebhooks, webhooksQuery } from './use-webhooks';

// Most accounts have no alerts: their browser does not load the list.
const AlertList = onDemand(
  () => import('./alert-list').then((module) => module.AlertList),
  <Skeleton className="h-11 lg:col-span-3" />,
);

const LISTED = 20;

const failuresQuery = queryOptions({
  queryKey: ['events', 'sync-failures'],
  queryFn: async ({ signal }) => {
    const page = await api().events.list({ type: 'exchange.sync_failed', limit: LISTED }, { signal });
    return page.data.flatMap(({ data, timestamp }) => {
      const { id } = data as { readonly id?: unknown };
      return typeof id === 'string' ? [{ accountId: id, at: timestamp }] : [];
    });
  },
});

/** Returns what needs attention; undefined while it is loading. */
export function useAlerts(): readonly Alert[] | undefined {
  useServerData([accountsQuery, webhooksQuery, failuresQuery]);
  const accounts = useAccounts();
  const webhooks = useWebhooks();
  const failures = useQuery(failuresQuery);
  if ([accounts, webhooks, failures].some(({ isPending }) => isPending)) return undefined;
  return alertsOf(accounts.data ?? [], webhooks.data ?? [], failures.data ?? []);
}

export const Alerts = ({ alerts }: { readonly alerts: readonly Alert[] }) =>
  alerts.length === 0 ? null : <AlertList alerts={alerts} />;
