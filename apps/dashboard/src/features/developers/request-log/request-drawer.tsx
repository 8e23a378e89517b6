'use client';
import type { LoggedRequest } from '@trading-automation/sdk';
import { api } from '../../../data/api';
import { LATE, useQuery, useQueryClient } from '../../../data/query';
import { Badge } from '../../../ui/badge';
import { Copyable } from '../../../ui/copyable';
import { Detail, Details } from '../../../ui/details';
import { Drawer } from '../../../ui/drawer';
import { TableSkeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { wordsOf } from '../../../ui/status';
import { Time } from '../../../ui/values';
import { toneOf } from './columns';
import { findRequest, isRequest, type SearchResult } from './find-request.rules';
import { StatusMeaning } from './status-meaning';

const SEARCHED_MAX = 2_000;

type Query = NonNullable<Parameters<ReturnType<typeof api>['requestLog']['list']>[0]>;
type Filters = Pick<Query, 'status' | 'method' | 'credential_id'>;

interface LoadedList {
  readonly pages: readonly { readonly data: readonly LoggedRequest[] }[];
}

export interface RequestDrawerProps {
  /** The `x-request-id` of a response, or the id of a record. */
  readonly wanted: string;
  /** The filters of the list. The search applies them, too. */
  readonly filters: Readonly<Record<string, string>>;
  /** The key of the list, which may have the record already. */
  readonly listKey: readonly string[];
  readonly nameOf: (credentialId: string) => string | undefined;
  readonly onClose: () => void;
}

/** All fields of one request of the log. */
export function RequestDrawer({ wanted, filters, listKey, nameOf, onClose }: RequestDrawerProps) {
  const queries = useQueryClient();
  const search = useQuery({
    queryKey: ['request-log', 'search', wanted, filters],
    queryFn: ({ signal }) => {
      const query = { limit: 100, ...(filters as Filters) };
      return findRequest(api().requestLog.list(query, { signal }), wanted, SEARCHED_MAX);
    },
    initialData: (): SearchResult | undefined => {
      const lists = queries.getQueriesData<LoadedList>({ queryKey: listKey });
      const loaded = lists.flatMap(([, list]) => list?.pages.flatMap(({ data }) => data) ?? []);
      const record = loaded.find((request) => isRequest(request, wanted));
      return record && { record, searched: loaded.length, hasMore: false };
    },
    staleTime: ({ state: { data } }) => (data?.record ? Number.POSITIVE_INFINITY : 0),
    meta: LATE,
  });
  const { data } = search;
  return (
    <Drawer isOpen onClose={onClose} title="Request">
      {search.isFetching ? (
        <>
          <p role="status" className="pb-3 text-muted text-sm">
            Searching the log for this id
          </p>
          <TableSkeleton rows={6} />
        </>
      ) : search.isError ? (
        <ErrorState error={search.error} onRetry={() => void search.refetch()} />
      ) : data?.record ? (
        <RequestFields request={data.record} nameOf={nameOf} />
      ) : (
        data !== undefined && (
          <NotFound wanted={wanted} result={data} isFiltered={Object.keys(filters).length > 0} />
        )
      )}
    </Drawer>
  );
}

interface RequestFieldsProps {
  readonly request: LoggedRequest;
  readonly nameOf: RequestDrawerProps['nameOf'];
}

function RequestFields({ request, nameOf }: RequestFieldsProps) {
  const { credential, status } = request;
  return (
    <div className="flex flex-col gap-6">
      <Details>
        <Detail name="Request id">
          <Copyable text={request.request_id} label="the request id" />
        </Detail>
        <Detail name="Time">
          <Time at={request.created_at} isExact />
        </Detail>
        <Detail name="Status">
          <Badge tone={toneOf(status)}>{status}</Badge>
        </Detail>
        <Detail name="Method">
          <code className="font-mono text-xs">{request.method}</code>
        </Detail>
        <Detail name="Route">
          <code className="break-all font-mono text-xs">{request.route}</code>
        </Detail>
        <Detail name="Time taken">{`${request.duration_ms}\u2009ms`}</Detail>
        <Detail name="Credential">{nameOf(credential.id) ?? wordsOf(credential.kind)}</Detail>
        <Detail name="Credential id">
          <Copyable text={credential.id} label="the id of the credential" />
        </Detail>
        <Detail name="Address">
          <code className="font-mono text-xs">{request.address}</code>
        </Detail>
        <Detail name="Log entry">
          <Copyable text={request.id} label="the id of the log entry" />
        </Detail>
      </Details>
      <StatusMeaning request={request} />
    </div>
  );
}

interface NotFoundProps {
  readonly wanted: string;
  readonly result: SearchResult;
  readonly isFiltered: boolean;
}

function NotFound({ wanted, result: { searched, hasMore }, isFiltered }: NotFoundProps) {
  return (
    <div role="status" className="flex flex-col gap-2 text-sm">
      <p className="break-all font-mono text-xs">{wanted}</p>
      <p className="font-medium">
        {hasMore
          ? `The newest ${searched} requests${isFiltered ? ' that match the filters' : ''} do not have this id.`
          : `No request${isFiltered ? ' that matches the filters' : ''} has this id. ${searched} were searched.`}
      </p>
      <p className="text-muted">
        {hasMore &&
          'Older requests were not searched. Filter the list by status, method or credential first. '}
        {isFiltered && !hasMore && 'Remove the filters of the list to search all requests. '}
        The log has the requests of the last 7 days, and a request appears within some seconds. Requests
        without a valid credential are not part of it.
      </p>
    </div>
  );
}
