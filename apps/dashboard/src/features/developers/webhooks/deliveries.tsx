'use client';
import type { Delivery, Webhook } from '@trading-automation/sdk';
import { History, RotateCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { LATE, useQueryClient } from '../../../data/query';
import { useNow } from '../../../format/clock';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import type { Column, Filter } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { EmptyState } from '../../../ui/states';
import { Status } from '../../../ui/status';
import { Missing, Time } from '../../../ui/values';
import { useEventTypes } from '../shared/event-picker';
import { outcomeText, useRunMany } from '../shared/run-many';
import { deliveryState } from './delivery-state.rules';
import { failureWords } from './failure-words.rules';
import { Milliseconds } from './parts';
import { ReplayRange } from './replay-range';

const keyOf = ({ id }: Delivery) => id;

interface StateProps {
  readonly delivery: Delivery;
  /** Whether another attempt can follow: the webhook is active, and no later attempt exists. */
  readonly isActive: boolean;
}

export function DeliveryStatus({ delivery, isActive }: StateProps) {
  return <Status value={deliveryState(delivery, useNow(), isActive)} />;
}

const SOON_MS = 10_000;

export function NextAttempt({ delivery, isActive }: StateProps) {
  const nowMs = useNow();
  if (deliveryState(delivery, nowMs, isActive) !== 'PENDING') return <Missing />;
  const isSoon = Date.parse(delivery.next_attempt_at ?? '') - nowMs < SOON_MS;
  return isSoon ? 'In a moment' : <Time at={delivery.next_attempt_at} />;
}

/** A test event is sent once. */
export const attemptText = ({ event_type, attempt }: Delivery) =>
  event_type === 'webhook.test' ? '1 of 1' : `${attempt} of 5`;

const columnsWith = (isActive: boolean): readonly Column<Delivery>[] => [
  {
    id: 'created_at',
    header: 'Time',
    sort: 'created_at',
    cell: ({ attempted_at }) => <Time at={attempted_at} isExact />,
    below: ({ event_type }) => <code className="font-mono">{event_type}</code>,
    csv: ({ attempted_at }) => attempted_at,
  },
  {
    id: 'event_type',
    header: 'Event',
    from: 'md',
    cell: ({ event_type }) => <code className="font-mono text-xs">{event_type}</code>,
    csv: ({ event_type }) => event_type,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (delivery) => <DeliveryStatus delivery={delivery} isActive={isActive} />,
    csv: ({ status }) => status,
  },
  {
    id: 'status_code',
    header: 'Code',
    isNumeric: true,
    from: 'md',
    cell: ({ status_code, error_reason }) =>
      status_code ?? failureWords({ reason: error_reason, statusCode: undefined }) ?? <Missing />,
    csv: ({ status_code, error }) => status_code ?? error,
  },
  {
    id: 'response_time_ms',
    header: 'Time taken',
    isNumeric: true,
    from: 'md',
    cell: ({ response_time_ms }) => <Milliseconds value={response_time_ms} />,
    csv: ({ response_time_ms }) => response_time_ms,
  },
  {
    id: 'attempt',
    header: 'Attempt',
    isNumeric: true,
    from: 'md',
    cell: attemptText,
    csv: ({ attempt }) => attempt,
  },
  {
    id: 'next_attempt_at',
    header: 'Next attempt',
    from: 'xl',
    cell: (delivery) => <NextAttempt delivery={delivery} isActive={isActive} />,
    csv: ({ next_attempt_at }) => next_attempt_at,
  },
  {
    id: 'run',
    header: 'Run',
    isOptional: true,
    isNumeric: true,
    cell: ({ run }) => run,
    csv: ({ run }) => run,
  },
  {
    id: 'event_id',
    header: 'Event id',
    isOptional: true,
    cell: ({ event_id }) => <code className="font-mono text-xs">{event_id}</code>,
    csv: ({ event_id }) => event_id,
  },
];

const STATUS_FILTER: Filter = {
  name: 'status',
  label: 'Status',
  options: [
    { value: 'SUCCEEDED', label: 'Delivered' },
    { value: 'FAILED', label: 'Failed or pending' },
  ],
};

export interface DeliveriesProps {
  readonly webhook: Webhook;
  readonly mayReplay: boolean;
}

/** The delivery attempts of a webhook. Selected ones, or those of a time range, can be sent again. */
export function Deliveries({ webhook, mayReplay }: DeliveriesProps) {
  const { id } = webhook;
  const queries = useQueryClient();
  const { progress, run } = useRunMany();
  const [selected, setSelected] = useState<ReadonlyMap<string, Delivery>>(new Map());
  const [isAsking, setAsking] = useState(false);
  const [isRange, setRange] = useState(false);
  const [result, setResult] = useState('');
  const types = useEventTypes(LATE).data?.types;
  const filters = useMemo(
    (): readonly Filter[] => [
      STATUS_FILTER,
      {
        name: 'event_type',
        label: 'Event',
        options: (types ?? []).map(({ type }) => ({ value: type, label: type })),
      },
    ],
    [types],
  );
  const columns = useMemo(() => columnsWith(webhook.is_active), [webhook.is_active]);
  const queryKey = useMemo(() => ['deliveries', id], [id]);
  const read = useMemo(
    () => (query: Record<string, unknown>, options: object) => api().webhooks.deliveries(id, query, options),
    [id],
  );
  const resendable = [...selected.values()].filter(({ event_type }) => event_type !== 'webhook.test');
  const eventIds = [...new Set(resendable.map(({ event_id }) => event_id))];
  const hasTests = resendable.length < selected.size;
  const replay = async (ids: readonly string[]) => {
    const outcome = await run(ids, (event_id) => api().webhooks.replay(id, { event_id }));
    setSelected(new Map());
    setResult(
      outcomeText(outcome, 'event is sent again', 'events are sent again', 'earlier attempts still run'),
    );
    await queries.invalidateQueries({ queryKey: ['deliveries'] });
  };
  return (
    <>
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 pt-6 pb-2">
        <h2 className="font-semibold text-base">Deliveries</h2>
        <div className="flex flex-wrap items-center gap-2">
          <span role="status" className="text-muted text-sm">
            {progress !== undefined
              ? `${progress.done} of ${progress.total} events`
              : hasTests
                ? 'Test events are not resent.'
                : result}
          </span>
          {mayReplay && (
            <>
              <Button
                icon={<RotateCw aria-hidden className="size-4" />}
                disabled={eventIds.length === 0}
                onClick={() => setAsking(true)}
              >
                Resend selected{eventIds.length > 0 && ` (${eventIds.length})`}
              </Button>
              <Button icon={<History aria-hidden className="size-4" />} onClick={() => setRange(true)}>
                Resend a time range
              </Button>
            </>
          )}
        </div>
      </div>
      <DataTable
        label="Deliveries"
        queryKey={queryKey}
        read={read}
        columns={columns}
        filters={filters}
        rowKey={keyOf}
        rowHref={({ event_id, id: attemptId }) =>
          `/developers/webhooks/${id}/events/${event_id}?attempt=${attemptId}`
        }
        {...(mayReplay ? { selection: { selected, onChange: setSelected } } : {})}
        empty={
          <EmptyState
            title="Nothing was sent to this webhook yet."
            hint="Send a test event to see the first delivery."
          />
        }
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Resend ${eventIds.length === 1 ? '1 event' : `${eventIds.length} events`}?`}
        action={`Resend ${eventIds.length === 1 ? 'event' : 'events'}`}
        onConfirm={() => replay(eventIds)}
      >
        Each event is sent to {webhook.url} with the same id and the same body, in up to five attempts. A
        receiver that has processed it must ignore the repeated id.
      </ConfirmDialog>
      {mayReplay && (
        <ReplayRange webhook={webhook} isOpen={isRange} onClose={() => setRange(false)} onReplay={replay} />
      )}
    </>
  );
}
