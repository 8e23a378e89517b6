'use client';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../data/api';
import { supportedExchangesQuery, useSupportedExchanges } from '../../data/exchange-names';
import type { Pair } from '../../data/pairs';
import { useEarlyData } from '../../data/server-data';
import { ButtonLink } from '../../ui/button';
import type { Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { wordsOf } from '../../ui/status';
import { COLUMNS } from './columns';

const KEY = ['pairs', 'list'];
const SORTING = { sort: 'symbol', order: 'asc' } as const;
const TYPES = ['spot', 'margin', 'perpetual'] as const satisfies readonly Pair['trading_type'][];

const read = (...[query, options]: Parameters<ReturnType<typeof api>['tradePairs']['list']>) =>
  api().tradePairs.list(query, options);
const keyOf = ({ id }: Pair) => id;
const hrefOf = ({ id }: Pair) => `/markets/${id}`;

/** The pairs of all exchanges. */
export function Markets() {
  useEarlyData([supportedExchangesQuery]);
  const filters = useFilters();
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
      <DataTable
        label="Markets"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={filters}
        search="Search pairs"
        sorting={SORTING}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="No exchange has reported its pairs yet."
            hint="They are listed as soon as a worker has connected to an exchange."
            action={<ButtonLink href="/status">Show status</ButtonLink>}
          />
        }
      />
    </>
  );
}

function useFilters(): readonly Filter[] {
  const exchanges = useSupportedExchanges().data;
  return useMemo(
    () => [
      {
        name: 'exchange',
        label: 'Exchange',
        options: (exchanges ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        name: 'trading_type',
        label: 'Type',
        options: TYPES.map((value) => ({ value, label: wordsOf(value) })),
      },
    ],
    [exchanges],
  );
}
