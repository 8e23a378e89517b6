'use client';
import { Plus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { type ReactNode, useCallback } from 'react';
import { api } from '../../data/api';
import { accountsQuery, strategiesQuery } from '../../data/names';
import { useEarlyData } from '../../data/server-data';
import { ButtonLink } from '../../ui/button';
import { DataTable } from '../../ui/data-table/data-table';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { COLUMNS, FILTERS, type TradeRow } from './columns';

const KEY = ['trades', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['trades']['list']>) =>
  api().trades.list(query, options);
const keyOf = ({ id }: TradeRow) => id;

const PlaceOrder = () => (
  <ButtonLink href="/trades/new" variant="primary">
    <Plus aria-hidden className="size-4" />
    Place order
  </ButtonLink>
);

/** All trades; `children` is the drawer of the one that the address names. */
export function Trades({ children }: { readonly children?: ReactNode }) {
  useEarlyData([accountsQuery, strategiesQuery]);
  const search = useSearchParams().toString();
  // The drawer keeps the filters of the list behind it.
  const hrefOf = useCallback(
    ({ id }: TradeRow) => `/trades/${id}${search === '' ? '' : `?${search}`}`,
    [search],
  );
  return (
    <>
      <PageHeader
        title="Trades"
        actions={
          <>
            <EmergencyStop />
            <PlaceOrder />
          </>
        }
      />
      <DataTable
        label="Trades"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={FILTERS}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="No order has been placed yet."
            hint="Orders that you place, that a strategy sends and that a copier repeats are listed here."
            action={<PlaceOrder />}
          />
        }
      />
      {children}
    </>
  );
}
