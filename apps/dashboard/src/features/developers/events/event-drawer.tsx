'use client';
import { useRouter, useSearchParams } from 'next/navigation';
import { api } from '../../../data/api';
import { LATE, useQuery } from '../../../data/query';
import { ButtonLink } from '../../../ui/button';
import { Copyable } from '../../../ui/copyable';
import { Detail, Details } from '../../../ui/details';
import { Drawer } from '../../../ui/drawer';
import { onDemand } from '../../../ui/on-demand';
import { Skeleton, TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { ErrorState } from '../../../ui/states';
import { Time } from '../../../ui/values';
import { useEventTypes } from '../shared/event-picker';
import { EventPayload } from '../shared/payload';

const EventDeliveries = onDemand(
  () => import('./event-deliveries').then((module) => module.EventDeliveries),
  <Skeleton className="h-26 w-full" />,
);

/** One event with its payload, and who received it. */
export function EventDrawer({ id }: { readonly id: string }) {
  const router = useRouter();
  const search = useSearchParams().toString();
  const types = useEventTypes(LATE);
  const event = useQuery({
    queryKey: ['events', id],
    queryFn: ({ signal }) => api().events.get(id, { signal }),
  });
  const retry = () => void event.refetch();
  const { data } = event;
  const description = types.data?.types.find(({ type }) => type === data?.type)?.description;
  return (
    <Drawer
      isOpen
      onClose={() => router.push(`/developers/events${search === '' ? '' : `?${search}`}`, { scroll: false })}
      title={data?.type ?? 'Event'}
      footer={
        data !== undefined && (
          <ButtonLink href={`/developers/events/catalogue?type=${data.type}&tab=schema`}>
            Show schema
          </ButtonLink>
        )
      }
    >
      {event.isPending && <TableSkeleton rows={6} />}
      {event.isError &&
        (data === undefined ? (
          <ErrorState error={event.error} onRetry={retry} />
        ) : (
          <StaleNotice error={event.error} onRetry={retry} />
        ))}
      {data !== undefined && (
        <div className="flex flex-col gap-6">
          {description !== undefined && <p className="text-muted text-sm">{description}</p>}
          <Details>
            <Detail name="Time">
              <Time at={data.timestamp} isExact />
            </Detail>
            <Detail name="Event">
              <Copyable text={data.event_id} />
            </Detail>
            {data.truncated === true && (
              <Detail name="Truncated">Long lists were cut, so that the payload stays below 64 KiB.</Detail>
            )}
          </Details>
          <section className="flex flex-col gap-2">
            <h3 className="font-semibold text-sm">Payload</h3>
            <EventPayload eventId={data.event_id} />
          </section>
          <section className="flex flex-col gap-2">
            <h3 className="font-semibold text-sm">Deliveries</h3>
            <EventDeliveries event={data} />
          </section>
        </div>
      )}
    </Drawer>
  );
}
