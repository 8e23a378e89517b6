'use client';
import { Plus } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useCallback } from 'react';
import { api } from '../../data/api';
import { accountsQuery, strategiesQuery } from '../../data/names';
import { useOpenOrders } from '../../data/open-orders';
import { useEarlyData } from '../../data/server-data';
import { ButtonLink } from '../../ui/button';
import { DataTable } from '../../ui/data-table/data-table';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { StopNotice } from '../../ui/emergency-stop/stop-notice';
import { PageHeader } from '../../ui/page-header';
import { Segmented } from '../../ui/segmented';
import { EmptyState } from '../../ui/states';
import { COLUMNS, type TradeRow } from './columns';
import { OpenOrders } from './open-orders';
import { useTradeFilters } from './use-filters';

const VIEWS = ['all', 'open'] as const;
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

/** All trades. */
export function Trades() {
  useEarlyData([accountsQuery, strategiesQuery]);
  const search = useSearchParams().toString();
  // The drawer keeps the filters of the list behind it.
  const hrefOf = useCallback(
    ({ id }: TradeRow) => `/trades/${id}${search === '' ? '' : `?${search}`}`,
    [search],
  );
  const [view, setView] = useQueryState('view', parseAsStringLiteral(VIEWS).withDefault('all'));
  const openOrders = useOpenOrders(view !== 'open').data?.length;
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
      <div className="flex items-center gap-3 pb-4">
        <Segmented
          label="Trades"
          value={view}
          onChange={(next) => void setView(next)}
          options={[
            { value: 'all', label: 'All trades' },
            { value: 'open', label: `Open orders${openOrders === undefined ? '' : ` (${openOrders})`}` },
          ]}
        />
        {/* One line in every width: a line that breaks when the font arrives would move the list. */}
        <p className="truncate text-muted text-xs max-md:hidden">
          The API filters trades by account, strategy, status and side. Open orders are also filtered by pair.
        </p>
      </div>
      {view === 'open' ? <OpenOrders hrefOf={hrefOf} /> : <AllTrades hrefOf={hrefOf} />}
      <StopNotice />
    </>
  );
}

function AllTrades({ hrefOf }: { readonly hrefOf: (trade: TradeRow) => string }) {
  return (
    <DataTable
      label="Trades"
      queryKey={KEY}
      read={read}
      columns={COLUMNS}
      filters={useTradeFilters()}
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
  );
}
