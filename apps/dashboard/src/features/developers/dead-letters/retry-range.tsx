'use client';
import type { Webhook } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { LATE } from '../../../data/query';
import { useSendOnce } from '../../../data/send-once';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Checkbox, Field, Select } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { useEventTypes } from '../shared/event-picker';
import { isChosen } from '../shared/event-selectors.rules';
import { isEmptyRange, RangeFields, rangeOf } from '../shared/range-fields';
import { matchWords, retryLabel, uncountedWords } from './retry-count.rules';
import { RetryWarning } from './retry-warning';
import { type RetryFilter, useMatchingCount } from './use-matching-count';

export interface RetryRangeProps {
  readonly webhook: Webhook;
  readonly pending: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRetried: (retried: number, hasMore: boolean) => Promise<unknown>;
}

const EVERY = { from: '', to: '' };

/** Returns the types that the webhook subscribes to, in alphabetical order. A test event never becomes a dead letter. */
const typesOf = <T extends string>(webhook: Webhook, types: readonly { readonly type: T }[]): readonly T[] =>
  types
    .map(({ type }) => type)
    .filter((type) => type !== 'webhook.test' && isChosen(webhook.events, type))
    .sort();

/** Retries pending dead letters of a time range, of an event type, or all of them. */
export function RetryRange({ webhook, pending, isOpen, onClose, onRetried }: RetryRangeProps) {
  const types = typesOf(webhook, useEventTypes(LATE).data?.types ?? []);
  const [range, setRange] = useState(EVERY);
  const [type, setType] = useState('');
  const [isAnyTime, setAnyTime] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const once = useSendOnce();
  const isBounded = range.from !== '' || range.to !== '';
  const chosen = types.find((one) => one === type);
  const body = {
    ...(isAnyTime ? {} : rangeOf(range)),
    ...(chosen === undefined ? {} : { event_type: chosen }),
  } as RetryFilter;
  const isReady = isAnyTime || (isBounded && !isEmptyRange(range));
  const matching = useMatchingCount(webhook.id, body, isOpen && isReady);
  const count = isReady ? (matching.data ?? undefined) : undefined;
  const close = () => {
    setRange(EVERY);
    setType('');
    setAnyTime(false);
    setFailure(undefined);
    onClose();
  };
  const retry = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const answer = await once([webhook.id, body], (idempotencyKey) =>
        api().webhooks.deadLetters.retryMany(webhook.id, body, { idempotencyKey }),
      );
      await onRetried(answer.retried, answer.has_more);
      close();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title="Retry pending dead letters"
      description={`${pending} ${pending === 1 ? 'is' : 'are'} pending for ${webhook.url}. Choose a start, an end or any time.`}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={!isReady || count === 0}
            onClick={() => void retry()}
          >
            {retryLabel(count)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <RangeFields
          range={range}
          onChange={setRange}
          counted="The time at which the event became a dead letter counts."
          isDisabled={isAnyTime}
        />
        <Checkbox
          checked={isAnyTime}
          onChange={(event) => setAnyTime(event.target.checked)}
          label="Any time"
          hint="Retries pending dead letters without a limit of time."
        />
        <Field label="Event">
          <Select value={type} onChange={(event) => setType(event.target.value)}>
            <option value="">All events</option>
            {types.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        </Field>
        <p role="status" className="min-h-5 font-medium text-sm">
          {isReady && (count === undefined ? uncountedWords(matching.isError) : matchWords(count))}
        </p>
        <RetryWarning webhook={webhook} />
        {failure !== undefined && <FormError error={failure} />}
      </div>
    </Dialog>
  );
}
