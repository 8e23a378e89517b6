'use client';
import type { Webhook } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { LATE } from '../../../data/query';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Field, Select } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { useEventTypes } from '../shared/event-picker';
import { isEmptyRange, RangeFields, rangeOf } from '../shared/range-fields';
import { RetryWarning } from './retry-warning';

export interface RetryRangeProps {
  readonly webhook: Webhook;
  readonly pending: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRetried: (retried: number, hasMore: boolean) => Promise<unknown>;
}

const EVERY = { from: '', to: '' };

/** Retries pending dead letters of a time range, of an event type, or all of them. */
export function RetryRange({ webhook, pending, isOpen, onClose, onRetried }: RetryRangeProps) {
  const types = useEventTypes(LATE).data?.types ?? [];
  const [range, setRange] = useState(EVERY);
  const [type, setType] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const isAll = range.from === '' && range.to === '' && type === '';
  const retry = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const chosen = types.find((entry) => entry.type === type)?.type;
      const body = { ...rangeOf(range), ...(chosen === undefined ? {} : { event_type: chosen }) };
      const answer = await api().webhooks.deadLetters.retryMany(
        webhook.id,
        body as Parameters<ReturnType<typeof api>['webhooks']['deadLetters']['retryMany']>[1],
        { idempotencyKey },
      );
      await onRetried(answer.retried, answer.has_more);
      setRange(EVERY);
      setType('');
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      // The body may change before the next attempt, and retrying a dead letter twice has no effect.
      setIdempotencyKey(crypto.randomUUID());
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Retry pending dead letters"
      description={`${pending} ${pending === 1 ? 'is' : 'are'} pending for ${webhook.url}. Leave the fields empty to retry all of them.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={isEmptyRange(range)}
            onClick={() => void retry()}
          >
            {isAll ? `Retry all ${pending}` : 'Retry matching'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <RangeFields range={range} onChange={setRange} />
        <Field label="Event">
          <Select value={type} onChange={(event) => setType(event.target.value)}>
            <option value="">All events</option>
            {types.map((entry) => (
              <option key={entry.type}>{entry.type}</option>
            ))}
          </Select>
        </Field>
        <RetryWarning webhook={webhook} />
        {failure !== undefined && <FormError error={failure} />}
      </div>
    </Dialog>
  );
}
