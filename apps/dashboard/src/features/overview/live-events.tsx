'use client';
import type { WebhookEvent } from '@trading-automation/sdk';
import Link from 'next/link';
import { useState } from 'react';
import { api } from '../../data/api';
import { useEvents } from '../../data/live';
import { LATE, useQuery } from '../../data/query';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { Time } from '../../ui/values';
import { describeEvent, mergeEvents } from './events.rules';

type Event = WebhookEvent<'string'>;
const SHOWN = 6;
const NONE: readonly Event[] = [];

/** The newest events, as they happen. */
export function LiveEvents() {
  const [live, setLive] = useState<readonly Event[]>(NONE);
  useEvents((event) => setLive((events) => [event, ...events].slice(0, SHOWN)));
  const loaded = useQuery({
    queryKey: ['events', 'latest'],
    meta: LATE,
    queryFn: async ({ signal }) => (await api().events.list({ limit: SHOWN }, { signal })).data,
  });
  const events = mergeEvents(live, loaded.data ?? NONE, SHOWN);
  return (
    <Card
      title="Live events"
      isFlush
      actions={
        <ButtonLink href="/developers/events" variant="ghost" className="-mr-3">
          View all
        </ButtonLink>
      }
    >
      {events.length > 0 ? (
        <>
          {loaded.isError && <StaleNotice error={loaded.error} onRetry={() => void loaded.refetch()} />}
          <div role="log" aria-label="Live events">
            <ul>
              {events.map((event) => (
                <Line key={event.event_id} event={event} />
              ))}
            </ul>
          </div>
        </>
      ) : loaded.isPending ? (
        <TableSkeleton rows={SHOWN} />
      ) : loaded.isError ? (
        <ErrorState error={loaded.error} onRetry={() => void loaded.refetch()} />
      ) : (
        <EmptyState title="No event yet." hint="Orders, copiers and accounts report here as they change." />
      )}
    </Card>
  );
}

function Line({ event }: { readonly event: Event }) {
  const { title, detail, href } = describeEvent(event);
  return (
    <li className="flex min-h-11 items-center justify-between gap-3 border-t px-4 py-1.5 text-sm">
      <p className="min-w-0 truncate">
        {href === undefined ? (
          title
        ) : (
          <Link href={href} className="hover:underline" prefetch={false}>
            {title}
          </Link>
        )}{' '}
        <span className="text-muted">{detail}</span>
      </p>
      <span className="shrink-0 text-muted text-xs">
        <Time at={event.timestamp} />
      </span>
    </li>
  );
}
