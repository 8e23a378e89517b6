'use client';
import { useDeferredValue } from 'react';
import { type Figures, useAnalytics } from '../../data/analytics';
import { useAnyTrade } from '../../data/any-trade';
import { Late } from '../../data/late';
import { useIsHydrated } from '../../data/use-is-hydrated';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { onDemand } from '../../ui/on-demand';
import { PageHeader } from '../../ui/page-header';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { CurveCard } from './curve-card';
import { ExportMenu } from './export-menu';
import { Filters } from './filters';
import { Notes } from './notes';
import { Ratios } from './ratios';
import { Results } from './results';
import { type SelectionState, useSelection } from './use-selection';

const Breakdown = onDemand(
  () => import('./breakdown').then((module) => module.Breakdown),
  <Skeleton className="h-60" />,
);
const HeatMap = onDemand(
  () => import('./heat-map').then((module) => module.HeatMap),
  <Skeleton className="h-67" />,
);

/** How the user's trades performed. */
export function Analytics() {
  const state = useSelection();
  // Days: the heat map needs them.
  const query = useDeferredValue(state.query);
  const figures = useAnalytics({ ...query, interval: 'day' });
  const { data } = figures;
  return (
    <>
      <PageHeader title="Analytics" actions={data !== undefined && <ExportMenu figures={data} />} />
      <div className="flex flex-col gap-4">
        <Late>
          <Filters state={state} />
        </Late>
        {figures.isError && data !== undefined && (
          <StaleNotice error={figures.error} onRetry={() => void figures.refetch()} />
        )}
        {figures.isPending ? (
          <Loading />
        ) : data === undefined ? (
          <Card>
            <ErrorState error={figures.error} onRetry={() => void figures.refetch()} />
          </Card>
        ) : data.trade_count === 0 && data.volume === '0' ? (
          <Empty state={state} />
        ) : (
          <div
            aria-busy={figures.isPlaceholderData}
            className={`flex flex-col gap-4 ${figures.isPlaceholderData ? 'opacity-60' : ''}`}
          >
            <Content figures={data} state={state} query={query} />
          </div>
        )}
      </div>
    </>
  );
}

interface ContentProps {
  readonly figures: Figures;
  readonly state: SelectionState;
  /** That of the figures, which may be older than that of the controls. */
  readonly query: SelectionState['query'];
}

function Content({ figures, state, query }: ContentProps) {
  return (
    <>
      <Notes figures={figures} />
      <Results figures={figures} />
      <CurveCard state={state} query={query} />
      <Ratios figures={figures} />
      {useIsHydrated() ? <Details figures={figures} lastDay={lastDayOf(query)} /> : <DetailsSkeleton />}
    </>
  );
}

/** What a person scrolls to. It follows after the page. */
function Details({ figures, lastDay }: { readonly figures: Figures; readonly lastDay: string }) {
  return (
    <>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Breakdown figures={figures} by="strategy" />
        <Breakdown figures={figures} by="pair" />
      </div>
      <HeatMap figures={figures} lastDay={lastDay} />
    </>
  );
}

const DetailsSkeleton = () => (
  <>
    <Skeleton className="h-60" />
    <Skeleton className="h-67" />
  </>
);

function lastDayOf(query: SelectionState['query']): string {
  const now = Date.now();
  const end = query.to === undefined ? now : Math.min(now, Date.parse(query.to) - 1);
  return new Date(end).toISOString().slice(0, 10);
}

function Loading() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-4">
      <Skeleton className="h-42" />
      <Skeleton className="h-100" />
      <Skeleton className="h-60" />
    </div>
  );
}

const RESET = {
  range: 'all',
  from: null,
  to: null,
  exchange_account_id: null,
  strategy_id: null,
  trade_pair_id: null,
} as const;

function Empty({ state: { selection, change } }: { readonly state: SelectionState }) {
  const { range, exchange_account_id, strategy_id, trade_pair_id } = selection;
  const isAll =
    range === 'all' && exchange_account_id === null && strategy_id === null && trade_pair_id === null;
  const any = useAnyTrade();
  if (any.isPending) return <Loading />;
  return (
    <Card>
      {isAll || any.data === 0 ? (
        <EmptyState
          title="There is no trade to analyse yet."
          hint="Results, ratios and curves are computed from your fills."
          action={
            <ButtonLink href="/trades/new" variant="primary">
              Place order
            </ButtonLink>
          }
        />
      ) : (
        <EmptyState
          title="No trade matches this selection."
          action={<Button onClick={() => void change(RESET)}>Show all trades</Button>}
        />
      )}
    </Card>
  );
}
