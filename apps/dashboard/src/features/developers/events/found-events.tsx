'use client';
import Link from 'next/link';
import { api } from '../../../data/api';
import { LATE, useQuery } from '../../../data/query';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { Copyable } from '../../../ui/copyable';
import { ScrollRegion } from '../../../ui/scroll-region';
import { TableSkeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { Time } from '../../../ui/values';
import { recordText } from './event-record.rules';
import { type FoundEvents as Found, findEvents } from './find-events.rules';

/** The search costs one request for each 100 events. */
const LIMITS = { searched: 2_000, found: 100 };

export interface FoundEventsProps {
  /** The id of a record. */
  readonly id: string;
  /** Returns the address of an event. */
  readonly hrefOf: (eventId: string) => string;
  readonly onClose: () => void;
}

/** The events that are about a record, or refer to it. */
export function FoundEvents({ id, hrefOf, onClose }: FoundEventsProps) {
  const search = useQuery({
    // Not below `events`, whose queries are loaded again after each event.
    queryKey: ['event-search', id],
    queryFn: ({ signal }) => findEvents(api().events.list({ limit: 100 }, { signal }), id, LIMITS),
    staleTime: 60_000,
    meta: LATE,
  });
  const { data } = search;
  return (
    <Card
      title="Events of a record"
      className="mb-4"
      isFlush
      actions={<Button onClick={onClose}>Close results</Button>}
    >
      <div className="px-4 pb-2">
        <Copyable text={id} label="the id of the record" />
      </div>
      {/* The height does not depend on the result, which would move the list below. */}
      <ScrollRegion label="Found events" className="h-48 overflow-y-auto border-t text-sm -outline-offset-2">
        {data === undefined ? (
          search.isError ? (
            <ErrorState error={search.error} onRetry={() => void search.refetch()} />
          ) : (
            <>
              <p role="status" className="px-4 py-2 text-muted">
                Searching the events for this id
              </p>
              <TableSkeleton rows={2} />
            </>
          )
        ) : (
          <>
            <p role="status" className="px-4 py-2">
              {resultWords(data)}
            </p>
            <List found={data} hrefOf={hrefOf} />
          </>
        )}
      </ScrollRegion>
    </Card>
  );
}

function List({ found: { events }, hrefOf }: { readonly found: Found } & Pick<FoundEventsProps, 'hrefOf'>) {
  if (events.length === 0) return null;
  return (
    <ul aria-label="Events of the record" className="border-t">
      {events.map(({ event_id, type, timestamp, data }) => (
        <li key={event_id} className="border-t first:border-t-0">
          <Link
            href={hrefOf(event_id)}
            scroll={false}
            className="flex min-h-11 flex-wrap items-center gap-x-4 px-4 py-1.5 -outline-offset-2 hover:bg-hover"
          >
            <code className="font-mono text-xs">{type}</code>
            <span className="min-w-0 flex-1 truncate text-muted">{recordText(data)}</span>
            <span className="text-muted">
              <Time at={timestamp} isExact />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function resultWords({ events, searched, hasMore }: Found): string {
  const count =
    events.length === 1 ? '1 event has' : `${events.length === 0 ? 'No' : events.length} events have`;
  const scope = hasMore ? `the newest ${searched} events` : `the ${searched} events of the last 30 days`;
  return `${count} this id among ${scope}.`;
}
