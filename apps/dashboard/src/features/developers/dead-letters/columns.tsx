import type { DeadLetter } from '@trading-automation/sdk';
import type { Column, Filter } from '../../../ui/data-table/columns';
import { Status } from '../../../ui/status';
import { Missing, Time } from '../../../ui/values';
import { failureWords, withTimeLimit } from '../webhooks/failure-words.rules';

export const STATUS_FILTER: Filter = {
  name: 'status',
  label: 'Status',
  options: [
    { value: 'PENDING', label: 'Pending' },
    { value: 'RETRIED', label: 'Retried' },
    { value: 'DISCARDED', label: 'Discarded' },
  ],
};

export const COLUMNS: readonly Column<DeadLetter>[] = [
  {
    id: 'created_at',
    header: 'Time',
    sort: 'created_at',
    cell: ({ created_at }) => <Time at={created_at} isExact />,
    below: ({ event_type }) => <code className="font-mono">{event_type}</code>,
    csv: ({ created_at }) => created_at,
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
    cell: ({ status }) => <Status value={status} />,
    csv: ({ status }) => status,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    isNumeric: true,
    from: 'md',
    cell: ({ attempts }) => `${attempts} of 5`,
    csv: ({ attempts }) => attempts,
  },
  {
    id: 'last_status_code',
    header: 'Last code',
    isNumeric: true,
    from: 'md',
    cell: ({ last_status_code }) => last_status_code ?? <Missing />,
    csv: ({ last_status_code }) => last_status_code,
  },
  {
    id: 'last_error_message',
    header: 'Why',
    from: 'xl',
    cell: ({ last_error_reason, last_status_code, last_error_message }) =>
      last_error_reason === undefined ? (
        <Missing />
      ) : (
        <span className="block max-w-110 truncate" title={withTimeLimit(last_error_message ?? '')}>
          {failureWords({ reason: last_error_reason, statusCode: last_status_code })}.{' '}
          <span className="text-muted">{withTimeLimit(last_error_message ?? '')}</span>
        </span>
      ),
    csv: ({ last_error_message }) => last_error_message,
  },
  {
    id: 'event_id',
    header: 'Event id',
    isOptional: true,
    cell: ({ event_id }) => <code className="font-mono text-xs">{event_id}</code>,
    csv: ({ event_id }) => event_id,
  },
];
