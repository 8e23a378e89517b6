'use client';
import type { DeadLetter } from '@trading-automation/sdk';
import { History, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { LATE } from '../../../data/query';
import { Button } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import type { Filter } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { EmptyState } from '../../../ui/states';
import { useEventTypes } from '../shared/event-picker';
import { outcomeText, useRunMany } from '../shared/run-many';
import { DeactivatedNotice } from '../webhooks/deactivated-notice';
import { ResultNotice } from '../webhooks/result-notice';
import { COLUMNS, STATUS_FILTER } from './columns';
import { lettersOf } from './retry-count.rules';
import { RetryRange } from './retry-range';
import { RetryWarning, WebhookLink } from './retry-warning';
import { type Receiver, useReloadDeadLetters } from './use-dead-letters';

const keyOf = ({ id }: DeadLetter) => id;
const isPending = ({ status }: DeadLetter) => status === 'PENDING';
const DEACTIVATED = 'webhook-deactivated';

/** The dead letters of one webhook, with what can be done with many of them. */
export function LetterTable({
  receiver: { webhook, stats },
  mayChange,
}: {
  readonly receiver: Receiver;
  readonly mayChange: boolean;
}) {
  const { id } = webhook;
  const reload = useReloadDeadLetters();
  const { progress, run } = useRunMany();
  const [selected, setSelected] = useState<ReadonlyMap<string, DeadLetter>>(new Map());
  const [asked, setAsked] = useState<'retry' | 'discard' | 'range'>();
  const [result, setResult] = useState<ReactNode>();
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
  const queryKey = useMemo(() => ['dead-letters', id, 'list'], [id]);
  const read = useMemo(
    () => (query: Record<string, unknown>, options: object) =>
      api().webhooks.deadLetters.list(id, query, options),
    [id],
  );
  const { deadLetters } = api().webhooks;
  const runSelected = async (action: 'retry' | 'discard') => {
    const outcome = await run([...selected.keys()], (letterId) =>
      action === 'retry' ? deadLetters.retry(id, letterId) : deadLetters.discard(id, letterId),
    );
    setSelected(new Map());
    const words = action === 'retry' ? 'retried' : 'discarded';
    const reason =
      action === 'retry' && !webhook.is_active ? 'the webhook is deactivated' : 'they are no longer pending';
    const text = outcomeText(outcome, `dead letter ${words}`, `dead letters ${words}`, reason);
    setResult(
      action === 'retry' && outcome.done > 0 ? (
        <RetryResult webhookId={id} text={text} />
      ) : (
        <ResultNotice>{text}</ResultNotice>
      ),
    );
    await reload();
  };
  const count = selected.size;
  const blocked = webhook.is_active ? {} : { disabled: true, 'aria-describedby': DEACTIVATED };
  return (
    <>
      <div className="flex flex-col gap-3 pb-3 empty:hidden">
        {!webhook.is_active && (
          <DeactivatedNotice webhook={webhook} mayActivate={mayChange} id={DEACTIVATED}>
            <p>Its dead letters can be retried once it is active.</p>
          </DeactivatedNotice>
        )}
        <div role="status" className="empty:hidden">
          {result}
        </div>
      </div>
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 pb-2">
        <span role="status" className="text-muted text-sm">
          {progress !== undefined && `${progress.done} of ${progress.total}`}
        </span>
        {mayChange && (
          <div className="flex flex-wrap items-center gap-2">
            <Button
              variant="danger-outline"
              icon={<Trash2 aria-hidden className="size-4" />}
              disabled={count === 0}
              onClick={() => setAsked('discard')}
            >
              Discard selected{count > 0 && ` (${count})`}
            </Button>
            <Button
              icon={<RotateCw aria-hidden className="size-4" />}
              disabled={count === 0}
              {...blocked}
              onClick={() => setAsked('retry')}
            >
              Retry selected{count > 0 && ` (${count})`}
            </Button>
            <Button
              icon={<History aria-hidden className="size-4" />}
              disabled={stats?.pending === 0}
              {...blocked}
              onClick={() => setAsked('range')}
            >
              Retry a time range
            </Button>
          </div>
        )}
      </div>
      <DataTable
        label="Dead letters"
        queryKey={queryKey}
        read={read}
        columns={COLUMNS}
        filters={filters}
        rowKey={keyOf}
        rowHref={(letter) => `/developers/dead-letters/${id}/${letter.id}`}
        {...(mayChange ? { selection: { selected, onChange: setSelected, isSelectable: isPending } } : {})}
        empty={
          <EmptyState
            title="Every event reached this webhook."
            hint="An event whose five attempts all failed is listed here, so that you can retry it."
          />
        }
      />
      <ConfirmDialog
        isOpen={asked === 'retry'}
        onClose={() => setAsked(undefined)}
        title={`Retry ${lettersOf(count)}?`}
        action="Retry deliveries"
        onConfirm={() => runSelected('retry')}
      >
        Each event is sent to {webhook.url} with the same id and the same body, in up to five attempts.
        <RetryWarning webhook={webhook} />
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'discard'}
        onClose={() => setAsked(undefined)}
        title={`Discard ${lettersOf(count)}?`}
        action="Discard"
        isDanger
        onConfirm={() => runSelected('discard')}
      >
        They are not sent again, but stay readable. The events themselves can be resent for 30 days.
      </ConfirmDialog>
      <RetryRange
        webhook={webhook}
        pending={stats?.pending ?? 0}
        isOpen={asked === 'range'}
        onClose={() => setAsked(undefined)}
        onRetried={(retried, hasMore) => {
          const more = hasMore ? ' More are pending; retry again.' : '';
          setResult(
            retried === 0 ? (
              'No pending dead letter matched.'
            ) : (
              <RetryResult webhookId={id} text={`${lettersOf(retried)} retried.${more}`} />
            ),
          );
          return reload();
        }}
      />
    </>
  );
}

function RetryResult({ webhookId, text }: { readonly webhookId: string; readonly text: string }) {
  return (
    <ResultNotice>
      {text} The deliveries are under way. Their results appear among the{' '}
      <WebhookLink id={webhookId}>deliveries of the webhook</WebhookLink>.
    </ResultNotice>
  );
}
