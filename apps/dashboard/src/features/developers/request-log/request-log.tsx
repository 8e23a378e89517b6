'use client';
import type { LoggedRequest } from '@trading-automation/sdk';
import { RefreshCw } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useCallback, useMemo, useState } from 'react';
import { api } from '../../../data/api';
import { useMe } from '../../../data/me';
import { useQuery, useQueryClient } from '../../../data/query';
import { Button, ButtonLink } from '../../../ui/button';
import { shortId } from '../../../ui/copyable';
import type { Filter } from '../../../ui/data-table/columns';
import { DataTable } from '../../../ui/data-table/data-table';
import type { ListReader } from '../../../ui/data-table/use-list';
import { onDemand } from '../../../ui/on-demand';
import { PageHeader } from '../../../ui/page-header';
import { TableSkeleton } from '../../../ui/skeleton';
import { EmptyState } from '../../../ui/states';
import { FindForm } from '../shared/find-form';
import { columnsWith } from './columns';
import { type Credential, credentialOptions } from './credential-names.rules';
import { withoutBrowsers } from './without-browsers.rules';

const RequestDrawer = onDemand(() => import('./request-drawer').then((module) => module.RequestDrawer));

const KEY = ['request-log', 'list'];
const HIDDEN = 'hidden';
const LISTED_MAX = 300;
const read: ListReader<LoggedRequest> = ({ browsers, ...query }, options) => {
  if (browsers !== HIDDEN) return api().requestLog.list(query, options);
  return withoutBrowsers(api().requestLog.list({ ...query, limit: 100 }, options));
};
const keyOf = ({ id }: LoggedRequest) => id;
const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** The dashboard's own requests, which are most of the log. Not a parameter of the API. */
const BROWSERS: Filter = {
  name: 'browsers',
  label: 'Browser sessions',
  options: [{ value: HIDDEN, label: 'Hidden' }],
};

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
        options: credentialOptions(credentials),
      },
      BROWSERS,
    ],
    [ids],
  );
  const nameOf = useCallback(
    (id: string) => credentials.find((credential) => credential.id === id)?.name,
    [ids],
  );
  const columns = useMemo(() => columnsWith(nameOf), [nameOf]);
  const [wanted, find] = useQueryState('request', parseAsString.withOptions({ history: 'push' }));
  const params = useSearchParams();
  const search = withoutRequest(params).toString();
  // The drawer keeps the filters of the list behind it.
  const hrefOf = useCallback(
    ({ id }: LoggedRequest) => `/developers/request-log?${search === '' ? '' : `${search}&`}request=${id}`,
    [search],
  );
  return (
    <>
      <PageHeader
        title="Request log"
        description="Requests of the last 7 days. Those refused with 401, such as for a revoked key, belong to no credential and are not listed."
        actions={<Refresh />}
      />
      <FindForm
        label="Request id"
        placeholder="The x-request-id of a response"
        action="Find request"
        onFind={(id) => void find(id)}
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
          rowHref={hrefOf}
          empty={
            <EmptyState
              title="No request was sent in the last 7 days."
              action={<ButtonLink href="/developers/reference">Show reference</ButtonLink>}
            />
          }
        />
      )}
      {wanted !== null && !isPending && (
        <RequestDrawer
          wanted={wanted}
          filters={chosenOf(
            filters.filter((filter) => filter !== BROWSERS),
            params,
          )}
          listKey={KEY}
          nameOf={nameOf}
          onClose={() => void find(null)}
        />
      )}
    </>
  );
}

/** The list does not follow new requests, because the dashboard itself sends some all the time. */
function Refresh() {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const refresh = async () => {
    setBusy(true);
    await queries.invalidateQueries({ queryKey: KEY });
    setBusy(false);
  };
  return (
    <Button
      isBusy={isBusy}
      icon={<RefreshCw aria-hidden className="size-4" />}
      onClick={() => void refresh()}
    >
      Refresh
    </Button>
  );
}

function withoutRequest(params: Iterable<[string, string]>): URLSearchParams {
  return new URLSearchParams([...params].filter(([name]) => name !== 'request'));
}

/** Returns the filters that are set, with their values. */
function chosenOf(filters: readonly Filter[], params: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filters.flatMap(({ name, options }) => {
      const value = params.get(name);
      return options.some((option) => option.value === value) ? [[name, value ?? '']] : [];
    }),
  );
}
