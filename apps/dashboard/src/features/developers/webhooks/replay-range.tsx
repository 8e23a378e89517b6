'use client';
import type { Webhook } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useQuery } from '../../../data/query';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Checkbox } from '../../../ui/field';
import { FormError } from '../../../ui/form-error';
import { isEmptyRange, localInput, RangeFields, rangeOf } from '../shared/range-fields';
import { eventsToReplay } from './delivery-state.rules';

const DAY_MS = 86_400_000;
const ATTEMPTS_MAX = 2_000;

export interface ReplayRangeProps {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onReplay: (eventIds: readonly string[]) => Promise<void>;
}

/** Sends the events of a time range again, after it has counted them. */
export function ReplayRange({ webhook, isOpen, onClose, onReplay }: ReplayRangeProps) {
  const [range, setRange] = useState(() => ({ from: localInput(Date.now() - DAY_MS), to: '' }));
  const [isFailedOnly, setFailedOnly] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const attempts = useQuery({
    queryKey: ['deliveries', webhook.id, 'range', range],
    queryFn: ({ signal }) =>
      api()
        .webhooks.deliveries(webhook.id, { ...rangeOf(range), limit: 100 }, { signal })
        .toArray({ limit: ATTEMPTS_MAX }),
    enabled: isOpen && !isEmptyRange(range),
    structuralSharing: false,
  });
  const eventIds = attempts.data === undefined ? [] : eventsToReplay(attempts.data, isFailedOnly);
  const send = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onReplay(eventIds);
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const count = eventIds.length === 1 ? '1 event' : `${eventIds.length} events`;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Resend a time range"
      description="Events that were sent to this webhook in the range are sent again, each once, oldest first. Test events are not resent."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={isBusy}
            disabled={eventIds.length === 0 || isEmptyRange(range)}
            onClick={() => void send()}
          >
            Resend {count}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <RangeFields
          range={range}
          onChange={setRange}
          counted="The time of the attempt counts, not that of the event."
        />
        <Checkbox
          checked={isFailedOnly}
          onChange={(event) => setFailedOnly(event.target.checked)}
          label="Only events whose latest attempt failed"
        />
        <p role="status" className="text-sm">
          {isEmptyRange(range)
            ? ''
            : attempts.isPending
              ? 'Counting the events of the range.'
              : attempts.isSuccess &&
                (eventIds.length === 0
                  ? 'No event of this range can be resent with these settings.'
                  : `${count} of this range ${eventIds.length === 1 ? 'is' : 'are'} sent to ${webhook.url}.`)}
          {attempts.data?.length === ATTEMPTS_MAX &&
            ` The range has more than ${ATTEMPTS_MAX} attempts; only the latest of them are counted.`}
        </p>
        {attempts.isError && <FormError error={attempts.error} />}
        {failure !== undefined && <FormError error={failure} />}
      </div>
    </Dialog>
  );
}
