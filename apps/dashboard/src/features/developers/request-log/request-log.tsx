'use client';
import type { LoggedRequest } from '@trading-automation/sdk';
import { useMemo } from 'react';
import { api } from '../../../data/api';
import { useMe } from '../../../data/me';
import { useQuery } from '../../../data/query';
import { ButtonLink } from '../../../ui/button';
import { shortId } from '../../../ui/copyable';
import type { Filter } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import { PageHeader } from '../../../ui/page-header';
import { TableSkeleton } from '../../../ui/skeleton';
import { EmptyState } from '../../../ui/states';
import { columnsWith } from './columns';

const KEY = ['request-log', 'list'];
const LISTED_MAX = 300;
const read = (...[query, options]: Parameters<ReturnType<typeof api>['requestLog']['list']>) =>
  api().requestLog.list(query, options);
const keyOf = ({ id }: LoggedRequest) => id;
const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: '2xx', label: '2xx, success' },
      { value: '4xx', label: '4xx, refused' },
      { value: '5xx', label: '5xx, failed' },
      ...optionsOf(['400', '401', '403', '404', '409', '422', '429', '500', '503']),
    ],
  },
  { name: 'method', label: 'Method', options: optionsOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) },
];

interface Credential {
  readonly id: string;
  readonly name: string;
}

/** The credentials of the account with their names. Without the permission, only this session has a name. */
function useCredentials() {
  const { data: me, isPending: isOwnPending } = useMe();
  const named = useQuery({
    queryKey: ['api-keys', 'names'],
    queryFn: async ({ signal }): Promise<readonly Credential[]> => {
      const query = { limit: 100, include: ['revoked' as const] };
      const [keys, identities] = await Promise.all([
        api().apiKeys.list(query, { signal }).toArray({ limit: LISTED_MAX }),
        api().publicKeys.list(query, { signal }).toArray({ limit: LISTED_MAX }),
      ]);
      return [
        ...keys.map(({ id, name }) => ({ id, name })),
        ...identities.map(({ id, label, pubkey }) => ({ id, name: label ?? shortId(pubkey) })),
      ];
    },
  });
  const own = me === undefined ? [] : [{ id: me.credential.id, name: 'This session' }];
  return { isPending: named.isPending || isOwnPending, credentials: [...(named.data ?? []), ...own] };
}

export function RequestLog() {
  const { isPending, credentials } = useCredentials();
  // The text changes exactly when the credentials do, so that the list is not loaded again on every render.
  const ids = credentials.map(({ id, name }) => `${id} ${name}`).join('\n');
  const filters = useMemo(
    (): readonly Filter[] => [
      ...FILTERS,
      {
        name: 'credential_id',
        label: 'Credential',
        options: credentials.map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    [ids],
  );
  const columns = useMemo(
    () => columnsWith((id) => credentials.find((credential) => credential.id === id)?.name),
    [ids],
  );
  return (
    <>
      <PageHeader
        title="Request log"
        description="The requests of the last 7 days that your credentials sent to the REST and GraphQL APIs. A request appears within some seconds."
      />
      {isPending ? (
        <div className="rounded-card border bg-surface">
          <TableSkeleton />
        </div>
      ) : (
        <DataTable
          label="Requests"
          queryKey={KEY}
          read={read}
          columns={columns}
          filters={filters}
          rowKey={keyOf}
          empty={
            <EmptyState
              title="No request was sent in the last 7 days."
              action={<ButtonLink href="/developers/reference">Show reference</ButtonLink>}
            />
          }
        />
      )}
    </>
  );
}
