'use client';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { api } from '../../data/api';
import { accountsQuery, useAccounts } from '../../data/names';
import { queryOptions, useQuery } from '../../data/query';
import { useServerData } from '../../data/server-data';
import { Time } from '../../ui/values';
import { type Alert, alertsOf } from './alerts.rules';
import { useWebhooks, webhooksQuery } from './use-webhooks';

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

export function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  return (
    <ul aria-label="Alerts" className="flex flex-col gap-2 lg:col-span-3">
      {alerts.map((alert) => (
        <AlertLine key={alert.key} alert={alert} />
      ))}
    </ul>
  );
}

function AlertLine({ alert: { text, at, href, action, isUrgent } }: { readonly alert: Alert }) {
  const Icon = isUrgent ? CircleAlert : TriangleAlert;
  return (
    <li
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 rounded-card border px-4 py-2.5 text-sm ${
        isUrgent ? 'border-loss-line bg-loss-soft' : 'border-warn-line bg-warn-soft'
      }`}
    >
      <Icon aria-hidden className={`size-4 shrink-0 ${isUrgent ? 'text-loss' : 'text-warn'}`} />
      <span className="min-w-0 flex-1 basis-60 break-words">
        {text}
        {at !== undefined && (
          <span>
            {' '}
            <Time at={at} />
          </span>
        )}
      </span>
      <Link href={href} className="font-medium underline max-sm:ml-7">
        {action}
      </Link>
    </li>
  );
}
