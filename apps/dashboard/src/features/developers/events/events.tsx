'use client';
import type { WebhookEvent } from '@trading-automation/sdk';
import { useRouter, useSearchParams } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { useEvents, useLiveState } from '../../../data/live';
import { LATE } from '../../../data/query';
import { ButtonLink } from '../../../ui/button';
import type { Column, Filter } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { PageHeader } from '../../../ui/page-header';
import { EmptyState } from '../../../ui/states';
import { wordsOf } from '../../../ui/status';
import { Missing, Time } from '../../../ui/values';
import { useEventTypes } from '../shared/event-picker';
import { subjectsOf } from '../shared/event-selectors.rules';
import { FindForm } from '../shared/find-form';
import { recordText } from './event-record.rules';
import { EventTabs } from './event-tabs';
import { isEventId } from './find-events.rules';
import { FoundEvents } from './found-events';

type EventRow = WebhookEvent<'string'>;

const KEY = ['events', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['events']['list']>) =>
  api().events.list(query, options);
const keyOf = ({ event_id }: EventRow) => event_id;
const hrefOf = ({ event_id }: Pick<EventRow, 'event_id'>) => `/developers/events/${event_id}`;

const COLUMNS: readonly Column<EventRow>[] = [
  {
    id: 'timestamp',
    header: 'Time',
    sort: 'created_at',
    cell: ({ timestamp }) => <Time at={timestamp} isExact />,
    csv: ({ timestamp }) => timestamp,
  },
  {
    id: 'type',
    header: 'Event',
    cell: ({ type }) => <code className="font-mono text-xs">{type}</code>,
    below: (event) => recordText(event.data),
    csv: ({ type }) => type,
  },
  {
    id: 'record',
    header: 'Record',
    from: 'md',
    cell: (event) => recordText(event.data) || <Missing />,
    csv: (event) => recordText(event.data),
  },
  {
    id: 'event_id',
    header: 'Event id',
    from: 'xl',
    cell: ({ event_id }) => <code className="font-mono text-xs">{event_id}</code>,
    csv: ({ event_id }) => event_id,
  },
];

/** The events of the account as they happen. */
export function Events() {
  const types = useEventTypes(LATE).data?.types;
  const filters = useMemo((): readonly Filter[] => {
    const options = subjectsOf(types ?? []).flatMap(({ subject, types: members }) => [
      { value: `${subject}.*`, label: `${wordsOf(subject)}: all` },
      ...members.map(({ type }) => ({ value: type, label: type })),
    ]);
    return [{ name: 'type', label: 'Type', options }];
  }, [types]);
  const router = useRouter();
  const search = useSearchParams().toString();
  const [wanted, find] = useQueryState('record', parseAsString.withOptions({ history: 'push' }));
  return (
    <>
      <PageHeader
        title="Events"
        description="What happened in the account in the last 30 days. Webhooks and streams deliver the same events."
      />
      <EventTabs />
      <FindForm
        label="Event or record id"
        placeholder="evt_…, trd_…, cpr_…"
        action="Find events"
        onFind={(id) => (isEventId(id) ? router.push(hrefOf({ event_id: id })) : void find(id))}
      />
      {wanted !== null && (
        <FoundEvents
          id={wanted}
          hrefOf={(id) => `${hrefOf({ event_id: id })}?${search}`}
          onClose={() => void find(null)}
        />
      )}
      <Arrivals />
      <DataTable
        label="Events"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={filters}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="No event happened in the last 30 days."
            hint="Place an order, or start a copier, and watch it appear here."
            action={<ButtonLink href="/trades/new">Place order</ButtonLink>}
          />
        }
      />
    </>
  );
}

/** Says how many events arrived while the page is open. New ones appear at the top of the list. */
function Arrivals() {
  const { state } = useLiveState();
  const [count, setCount] = useState(0);
  const [latest, setLatest] = useState<EventRow>();
  useEvents((event) => {
    setCount((now) => now + 1);
    setLatest(event);
  });
  const isLive = state === 'live';
  return (
    <p role="status" className="flex items-center gap-2 pb-3 text-muted text-sm max-sm:min-h-13">
      <span aria-hidden className={`size-2 rounded-full ${isLive ? 'bg-gain' : 'bg-line-strong'}`} />
      {isLive
        ? 'Live. New events appear at the top.'
        : 'Not live at the moment. Events that you miss are loaded once the connection is back.'}
      {count > 0 && ` ${count} since you opened this page`}
      {latest !== undefined && (
        // On a narrow screen it would need a third line, and move the list.
        <span className="max-sm:hidden">
          , the latest <code className="font-mono text-xs">{latest.type}</code>
        </span>
      )}
    </p>
  );
}
