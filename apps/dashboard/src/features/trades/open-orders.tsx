'use client';
import { useMemo, useState } from 'react';
import { useMayTrade } from '../../data/me';
import { type OpenOrder, useOpenOrders } from '../../data/open-orders';
import { baseOf } from '../../format/money';
import { Button, ButtonLink } from '../../ui/button';
import type { Column } from '../../ui/data-table/columns';
import { csvLine, saveFile } from '../../ui/data-table/csv';
import { Rows } from '../../ui/data-table/rows';
import { Toolbar } from '../../ui/data-table/toolbar';
import { NEWEST, useTableRequest } from '../../ui/data-table/use-table-request';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { CancelOrder } from './cancel-order';
import { COLUMNS } from './columns';
import { listOrders } from './list-orders.rules';
import { useOrderFilters } from './use-filters';

const NONE: readonly OpenOrder[] = [];
const keyOf = ({ id }: OpenOrder) => id;

/** All open orders, each with a button that cancels it. */
export function OpenOrders({ hrefOf }: { readonly hrefOf: (order: OpenOrder) => string }) {
  const open = useOpenOrders(false);
  const all = open.data ?? NONE;
  const filters = useOrderFilters(all);
  const { request, change } = useTableRequest(filters, NEWEST, false);
  const rows = useMemo(() => listOrders(all, request), [all, request]);
  const [cancelled, setCancelled] = useState<OpenOrder>();
  const mayTrade = useMayTrade();
  const [hidden, setHidden] = useState(
    () => new Set(COLUMNS.filter(({ isOptional }) => isOptional).map(({ id }) => id)),
  );
  const columns = useMemo(
    () => [...COLUMNS.filter(({ id }) => !hidden.has(id)), ...(mayTrade ? [cancelColumn(setCancelled)] : [])],
    [hidden, mayTrade],
  );
  const show = (id: string, isShown: boolean) =>
    setHidden((now) => new Set(isShown ? [...now].filter((other) => other !== id) : [...now, id]));
  const retry = () => void open.refetch();
  return (
    <section aria-label="Open orders" className="min-w-0 rounded-card border bg-surface">
      <Toolbar
        filters={filters}
        request={request}
        onChange={change}
        columns={COLUMNS.map(({ id, header }) => ({ id, header, isShown: !hidden.has(id) }))}
        onShowColumn={show}
        onExport={() => exportRows(rows)}
        exported={undefined}
      />
      {open.isPending && <TableSkeleton />}
      {open.isError &&
        (open.data === undefined ? (
          <ErrorState error={open.error} onRetry={retry} />
        ) : (
          <div className="px-3 pb-2">
            <StaleNotice error={open.error} onRetry={retry} />
          </div>
        ))}
      {open.data !== undefined && rows.length === 0 && <NoOrder isFiltered={all.length > 0} />}
      {rows.length > 0 && (
        <>
          <Rows
            label="Open orders"
            rows={rows}
            columns={columns}
            rowKey={keyOf}
            rowHref={hrefOf}
            sorting={{ sort: request.sort ?? '', order: request.order === 'asc' ? 'asc' : 'desc' }}
            onSort={change}
            onEnd={() => undefined}
          />
          <p role="status" className="border-t px-4 py-2 text-muted text-xs">
            {rows.length === 1 ? '1 open order' : `${rows.length} open orders`}
          </p>
        </>
      )}
      {cancelled !== undefined && (
        <CancelOrder trade={cancelled} isOpen onClose={() => setCancelled(undefined)} />
      )}
    </section>
  );
}

const NoOrder = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No open order matches these filters." />
  ) : (
    <EmptyState
      title="No order is open."
      hint="An order is listed here until it is filled, cancelled or refused."
      action={<ButtonLink href="/trades/new">Place order</ButtonLink>}
    />
  );

const cancelColumn = (onCancel: (order: OpenOrder) => void): Column<OpenOrder> => ({
  id: 'actions',
  header: 'Actions',
  isNumeric: true,
  isScreenOnly: true,
  from: 'md',
  cell: (order) => (
    <Button
      className="h-7"
      aria-label={`Cancel order: ${order.symbol} ${order.side.toLowerCase()} of ${order.amount} ${baseOf(order.symbol)}`}
      onClick={() => onCancel(order)}
    >
      Cancel
    </Button>
  ),
  csv: () => undefined,
});

function exportRows(rows: readonly OpenOrder[]): void {
  const lines = rows.map((row) => csvLine(COLUMNS.map(({ csv }) => csv(row))));
  const file = new Blob([csvLine(COLUMNS.map(({ id }) => id)), ...lines], { type: 'text/csv;charset=utf-8' });
  saveFile(file, 'open-orders.csv');
}
