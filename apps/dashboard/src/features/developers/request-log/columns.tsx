import type { LoggedRequest } from '@trading-automation/sdk';
import { Badge } from '../../../ui/badge';
import { Copyable, shortId } from '../../../ui/copyable';
import type { Column } from '../../../ui/data-table/columns';
import { wordsOf } from '../../../ui/status';
import { Time } from '../../../ui/values';

export const toneOf = (status: number) =>
  status >= 500 ? 'loss' : status >= 400 ? 'warn' : status >= 300 ? 'neutral' : 'gain';

/** The columns; `nameOf` returns the name of a credential, if it is known. */
export const columnsWith = (nameOf: (id: string) => string | undefined): readonly Column<LoggedRequest>[] => [
  {
    id: 'created_at',
    header: 'Time',
    sort: 'created_at',
    cell: ({ created_at }) => <Time at={created_at} isExact />,
    below: ({ method, route }) => (
      <code className="block max-w-[58vw] truncate font-mono">{`${method} ${route}`}</code>
    ),
    csv: ({ created_at }) => created_at,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
    csv: ({ status }) => status,
  },
  {
    id: 'method',
    header: 'Method',
    from: 'md',
    cell: ({ method }) => <code className="font-mono text-xs">{method}</code>,
    csv: ({ method }) => method,
  },
  {
    id: 'route',
    header: 'Route',
    from: 'md',
    cell: ({ route }) => <code className="font-mono text-xs whitespace-nowrap">{route}</code>,
    csv: ({ route }) => route,
  },
  {
    id: 'duration_ms',
    header: 'Time taken',
    isNumeric: true,
    from: 'md',
    cell: ({ duration_ms }) => (
      <span className="whitespace-nowrap">
        {duration_ms}
        <span className="text-muted">{'\u2009ms'}</span>
      </span>
    ),
    csv: ({ duration_ms }) => duration_ms,
  },
  {
    id: 'credential',
    header: 'Credential',
    from: 'md',
    cell: ({ credential: { kind, id } }) => (
      <span className="whitespace-nowrap" title={id}>
        {nameOf(id) ?? wordsOf(kind)} <code className="font-mono text-muted text-xs">{shortId(id)}</code>
      </span>
    ),
    csv: ({ credential }) => credential.id,
  },
  {
    id: 'address',
    header: 'Address',
    from: 'xl',
    cell: ({ address }) => <code className="font-mono text-xs">{address}</code>,
    csv: ({ address }) => address,
  },
  {
    id: 'request_id',
    header: 'Request id',
    from: 'xl',
    cell: ({ request_id }) => <Copyable text={request_id} isShort />,
    csv: ({ request_id }) => request_id,
  },
];
