'use client';
import { useSearchParams } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useCallback, useMemo, useState } from 'react';
import { ALL_TIME, useAnalytics } from '../../data/analytics';
import { api } from '../../data/api';
import { useMayTrade } from '../../data/me';
import { accountsQuery, useAccounts } from '../../data/names';
import { type LotRow, openLotsQuery, useOpenLots } from '../../data/open-lots';
import { positionsQuery } from '../../data/perpetual-positions';
import { LATE } from '../../data/query';
import { useEarlyData } from '../../data/server-data';
import { pairOptions } from '../../data/traded-pairs.rules';
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
  useEarlyData([openLotsQuery, positionsQuery, accountsQuery]);
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
  const traded = useAnalytics(ALL_TIME, LATE).data?.by_pair;
  return useMemo(
    () => [
      {
        name: 'exchange_account_id',
        label: 'Account',
        options: (accounts ?? []).map(({ id, account_name }) => ({ value: id, label: account_name })),
      },
      { name: 'trade_pair_id', label: 'Pair', options: pairOptions(traded ?? []) },
    ],
    [accounts, traded],
  );
}
