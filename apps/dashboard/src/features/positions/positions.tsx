'use client';
import type { TradePair } from '@trading-automation/sdk';
import { useSearchParams } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useCallback, useMemo, useState } from 'react';
import { api } from '../../data/api';
import { useMayTrade } from '../../data/me';
import { accountsQuery, pairsQuery, useAccounts, usePairs } from '../../data/names';
import { type LotRow, openLotsQuery, useOpenLots } from '../../data/open-lots';
import { positionsQuery } from '../../data/perpetual-positions';
import { useEarlyData } from '../../data/server-data';
import { Button } from '../../ui/button';
import type { Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { StopNotice } from '../../ui/emergency-stop/stop-notice';
import { onDemand } from '../../ui/on-demand';
import { PageHeader } from '../../ui/page-header';
import { Segmented } from '../../ui/segmented';
import { EmptyState } from '../../ui/states';
import type { LotSelection } from './close-many';
import { columnsOf } from './columns';
import { OpenPositions } from './open-positions';
import { PerpetualPositions } from './perpetual-positions';

const CloseLot = onDemand(() => import('./close-lot').then((module) => module.CloseLot));
const CloseMany = onDemand(() => import('./close-many').then((module) => module.CloseMany));

const VIEWS = ['open', 'closed'] as const;
const KEY = ['lots', 'list'];
const read = (...[query, options]: Parameters<ReturnType<typeof api>['lots']['list']>) =>
  api().lots.list(query, options);
const keyOf = ({ id }: LotRow) => id;

/** Positions in perpetuals, and open and closed lots. */
export function Positions() {
  useEarlyData([openLotsQuery, positionsQuery, accountsQuery, pairsQuery]);
  const [view, setView] = useQueryState('view', parseAsStringLiteral(VIEWS).withDefault('open'));
  const [closing, setClosing] = useState<LotRow>();
  const [selection, setSelection] = useState<LotSelection>();
  const mayTrade = useMayTrade();
  const search = useSearchParams().toString();
  const filters = useFilters();
  const columns = useMemo(() => columnsOf(view, mayTrade ? setClosing : undefined), [view, mayTrade]);
  const query = useMemo(() => ({ status: view === 'open' ? 'OPEN' : 'CLOSED' }), [view]);
  const hrefOf = useCallback(
    ({ id }: LotRow) => `/positions/${id}${search === '' ? '' : `?${search}`}`,
    [search],
  );
  const openLots = useOpenLots(view === 'open');
  const isEmpty = openLots.data?.length === 0;
  const accounts = useAccounts();
  return (
    <>
      <PageHeader
        title="Positions"
        description="Positions in perpetuals, and the lots of all markets."
        actions={<EmergencyStop />}
      />
      <div className="flex flex-col gap-4">
        <div>
          <Segmented
            label="Lots"
            value={view}
            onChange={(next) => void setView(next)}
            options={[
              { value: 'open', label: 'Open' },
              { value: 'closed', label: 'Closed' },
            ]}
          />
        </div>
        {view === 'open' && <PerpetualPositions />}
        {view === 'open' && <OpenPositions onCloseMany={mayTrade ? setSelection : undefined} />}
        {!(view === 'open' && isEmpty) && (
          // The list appears with the sums, which would move it. It is loaded at the same time.
          <div hidden={view === 'open' && (openLots.isPending || accounts.isPending)}>
            <DataTable
              key={view}
              label={view === 'open' ? 'Open lots' : 'Closed lots'}
              queryKey={KEY}
              read={read}
              query={query}
              columns={columns}
              filters={filters}
              rowKey={keyOf}
              rowHref={hrefOf}
              empty={
                <EmptyState
                  title={view === 'open' ? 'No lot is open.' : 'No lot has been closed yet.'}
                  hint={view === 'open' ? undefined : 'A lot is closed when all of its amount is sold.'}
                  action={
                    view === 'closed' && <Button onClick={() => void setView('open')}>Show open lots</Button>
                  }
                />
              }
            />
          </div>
        )}
      </div>
      <StopNotice />
      {closing !== undefined && <CloseLot lot={closing} onClose={() => setClosing(undefined)} />}
      {selection !== undefined && <CloseMany selection={selection} onClose={() => setSelection(undefined)} />}
    </>
  );
}

function useFilters(): readonly Filter[] {
  const accounts = useAccounts().data;
  const pairs = usePairs().data;
  return useMemo(() => {
    const markets = new Set(
      accounts?.map(({ exchange_name, trading_type }) => `${exchange_name} ${trading_type}`),
    );
    const traded = (pairs ?? []).filter(({ exchange, trading_type }) =>
      markets.has(`${exchange} ${trading_type}`),
    );
    return [
      {
        name: 'exchange_account_id',
        label: 'Account',
        options: (accounts ?? []).map(({ id, account_name }) => ({ value: id, label: account_name })),
      },
      {
        name: 'trade_pair_id',
        label: 'Pair',
        options: traded.map((pair) => ({ value: pair.id, label: nameAmong(traded, pair) })),
      },
    ];
  }, [accounts, pairs]);
}

/** The symbol of a pair, with its trading type if another pair has the same symbol. */
function nameAmong(
  pairs: readonly TradePair<'string'>[],
  { id, symbol, trading_type }: TradePair<'string'>,
): string {
  const isShared = pairs.some((other) => other.symbol === symbol && other.id !== id);
  return isShared ? `${symbol}, ${trading_type}` : symbol;
}
