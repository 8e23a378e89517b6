'use client';
import { Copy } from 'lucide-react';
import { api } from '../../data/api';
import { Late } from '../../data/late';
import { useTradeRefusal } from '../../data/me';
import { accountsQuery } from '../../data/names';
import { useQuery } from '../../data/query';
import { useEarlyData } from '../../data/server-data';
import { Badge } from '../../ui/badge';
import { Button, ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { PageHeader } from '../../ui/page-header';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { useRecordName } from '../../ui/use-record-name';
import { ConfigurationCard } from './configuration-card';
import { EquityChart } from './equity-chart';
import { isOwn, type StrategyRow } from './figures';
import { LinkedCopiers } from './linked-copiers';
import { isFull } from './performance.rules';
import { OwnerActions } from './strategy-actions';
import { FigureDefinitions, HeadFigures } from './strategy-figures';
import { StrategyTrades } from './strategy-trades';
import { TermsCard } from './terms-card';

/** A strategy, for its owner and, as far as it is public, for everyone else. */
export function StrategyPage({ id }: { readonly id: string }) {
  useEarlyData([accountsQuery]);
  const strategy = useQuery({
    queryKey: ['strategies', id],
    queryFn: ({ signal }) => api().strategies.get(id, { signal }),
  });
  const { data } = strategy;
  // Strategies of others are found on Discover; the list of strategies has one's own.
  useRecordName(data?.name, data === undefined || isOwn(data) ? undefined : `/discover/${id}`);
  const retry = () => void strategy.refetch();
  if (data === undefined)
    return (
      <>
        <PageHeader title="Strategy" />
        {strategy.isError ? (
          <Card>
            <ErrorState error={strategy.error} onRetry={retry} />
          </Card>
        ) : (
          <Loading />
        )}
      </>
    );
  return (
    <>
      <PageHeader
        title={
          <>
            {data.name}
            <Status value={data.status} />
            <Badge>{wordsOf(data.visibility)}</Badge>
          </>
        }
        description={
          data.description === undefined ? undefined : <p className="max-w-160">{data.description}</p>
        }
        actions={isOwn(data) ? <OwnerActions strategy={data} /> : <CopyAction strategy={data} />}
      />
      {strategy.isError && <StaleNotice error={strategy.error} onRetry={retry} />}
      <div className="flex flex-col gap-4">
        <HeadFigures strategy={data} />
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <EquityChart strategy={data} />
            <FigureDefinitions strategy={data} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <TermsCard strategy={data} />
            <LinkedCopiers strategy={data} />
            <ConfigurationCard strategy={data} />
            {!isOwn(data) && <SignalsNote />}
          </div>
        </div>
        {isOwn(data) && (
          <section aria-labelledby="strategy-trades">
            <h2 id="strategy-trades" className="pb-2 font-semibold text-base">
              Trades of this strategy
            </h2>
            <Late>
              <StrategyTrades strategyId={data.id} />
            </Late>
          </section>
        )}
      </div>
    </>
  );
}

function CopyAction({ strategy }: { readonly strategy: StrategyRow }) {
  const rights = useTradeRefusal();
  const { status, capacity } = strategy;
  const refusal =
    rights ??
    (status === 'ARCHIVED'
      ? 'Archived strategies cannot be copied.'
      : isFull(strategy)
        ? `All ${capacity} places are taken.`
        : undefined);
  if (refusal !== undefined)
    return (
      <>
        <p className="text-muted text-sm">{refusal}</p>
        <Button variant="primary" disabled>
          Copy this strategy
        </Button>
      </>
    );
  return (
    <ButtonLink href={`/copiers/new?strategy=${strategy.id}`} variant="primary">
      <Copy aria-hidden className="size-4" />
      Copy this strategy
    </ButtonLink>
  );
}

const SignalsNote = () => (
  <Card title="Signals">
    <p className="text-muted text-sm">
      Single trades of another user are not public. Once you copy the strategy, your copier lists every signal
      with the decision about it. The simulation, before you start, replays the signals of the past.
    </p>
  </Card>
);

const Loading = () => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-4">
    <Skeleton className="h-24" />
    <Skeleton className="h-80" />
  </div>
);
