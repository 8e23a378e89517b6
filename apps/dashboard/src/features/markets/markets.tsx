'use client';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { supportedExchangesQuery } from '../../data/exchange-names';
import { pairsQuery, usePairs } from '../../data/names';
import { useEarlyData } from '../../data/server-data';
import { Button, ButtonLink } from '../../ui/button';
import type { Filter } from '../../ui/data-table/columns';
import { csvLine, saveFile } from '../../ui/data-table/csv';
import { Rows } from '../../ui/data-table/rows';
import { Toolbar } from '../../ui/data-table/toolbar';
import { useTableRequest } from '../../ui/data-table/use-table-request';
import { PageHeader } from '../../ui/page-header';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { wordsOf } from '../../ui/status';
import { COLUMNS } from './columns';
import { listPairs, valuesOf } from './list-pairs.rules';
import type { Pair } from './pair';

const SORTING = { sort: 'symbol', order: 'asc' } as const;
const NONE: readonly Pair[] = [];
const keyOf = ({ id }: Pair) => id;
const hrefOf = ({ id }: Pair) => `/markets/${id}`;

/** The pairs of all exchanges. All are loaded at once, so that the search is immediate. */
export function Markets() {
  useEarlyData([pairsQuery, supportedExchangesQuery]);
  const pairs = usePairs();
  const all = pairs.data ?? NONE;
  const filters = useMemo(() => filtersOf(all), [all]);
  const { request, change } = useTableRequest(filters, SORTING, true);
  const rows = useMemo(() => listPairs(all, request), [all, request]);
  const [hidden, setHidden] = useState(
    () => new Set(COLUMNS.filter(({ isOptional }) => isOptional).map(({ id }) => id)),
  );
  const shown = COLUMNS.filter(({ id }) => !hidden.has(id));
  const show = (id: string, isShown: boolean) =>
    setHidden((now) => new Set(isShown ? [...now].filter((other) => other !== id) : [...now, id]));
  const clear = () => change({ search: null, exchange: null, trading_type: null });
  return (
    <>
      <PageHeader
        title="Markets"
        actions={
          <ButtonLink href="/trades/new" variant="primary">
            <Plus aria-hidden className="size-4" />
            Place order
          </ButtonLink>
        }
      />
      <section aria-label="Markets" className="min-w-0 rounded-card border bg-surface">
        <Toolbar
          filters={filters}
          request={request}
          onChange={change}
          search="Search pairs"
          columns={COLUMNS.map(({ id, header }) => ({ id, header, isShown: !hidden.has(id) }))}
          onShowColumn={show}
          onExport={() => exportRows(rows)}
          exported={undefined}
        />
        {pairs.isPending && <TableSkeleton />}
        {pairs.isError && pairs.data === undefined && (
          <ErrorState error={pairs.error} onRetry={() => void pairs.refetch()} />
        )}
        {pairs.isError && pairs.data !== undefined && (
          <div className="px-4 pb-3">
            <StaleNotice error={pairs.error} onRetry={() => void pairs.refetch()} />
          </div>
        )}
        {pairs.data !== undefined && rows.length === 0 && (
          <NothingListed isFiltered={all.length > 0} onClear={clear} />
        )}
        {rows.length > 0 && (
          <>
            <Rows
              label="Markets"
              rows={rows}
              columns={shown}
              rowKey={keyOf}
              rowHref={hrefOf}
              sorting={{ sort: request.sort ?? '', order: request.order === 'desc' ? 'desc' : 'asc' }}
              onSort={change}
              onEnd={() => undefined}
            />
            <p role="status" className="border-t px-4 py-2 text-muted text-xs">
              {rows.length === 1 ? '1 pair' : `${rows.length} pairs`}
            </p>
          </>
        )}
      </section>
    </>
  );
}

function NothingListed({
  isFiltered,
  onClear,
}: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}) {
  return isFiltered ? (
    <EmptyState title="No pair matches." action={<Button onClick={onClear}>Remove the filters</Button>} />
  ) : (
    <EmptyState
      title="No exchange has reported its pairs yet."
      hint="They are listed as soon as a worker has connected to an exchange."
      action={<ButtonLink href="/status">Show status</ButtonLink>}
    />
  );
}

function filtersOf(pairs: readonly Pair[]): Filter[] {
  const options = (field: 'exchange' | 'trading_type') =>
    valuesOf(pairs, field).map((value) => ({ value, label: wordsOf(value) }));
  return [
    { name: 'exchange', label: 'Exchange', options: options('exchange') },
    { name: 'trading_type', label: 'Type', options: options('trading_type') },
  ];
}

/** Saves the rules of the pairs. Prices are not in the file: they are old before it is opened. */
function exportRows(rows: readonly Pair[]): void {
  const columns = COLUMNS.filter(({ id }) => id !== 'last' && id !== 'change');
  const lines = rows.map((row) => csvLine(columns.map(({ csv }) => csv(row))));
  saveFile(
    new Blob([csvLine(columns.map(({ id }) => id)), ...lines], { type: 'text/csv;charset=utf-8' }),
    'markets.csv',
  );
}
