'use client';
import { Plus } from 'lucide-react';
import { accountsQuery } from '../../data/names';
import { useEarlyData } from '../../data/server-data';
import { useUserId } from '../../data/user-id';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { onDemand } from '../../ui/on-demand';
import { PageHeader } from '../../ui/page-header';
import { Skeleton, TableSkeleton } from '../../ui/skeleton';
import { Alerts, useAlerts } from './alerts';
import { EquityCard, firstEquityQuery } from './equity-card';

// What is below the curve loads after it: the curve is what a trader looks at first.
const Figures = onDemand(
  () => import('./figures').then((module) => module.Figures),
  <Skeleton className="h-24 lg:h-19" />,
);
const LatestTrades = onDemand(
  () => import('./latest-trades').then((module) => module.LatestTrades),
  waitingCard('Latest trades', 8),
);
const AccountHealth = onDemand(
  () => import('./account-health').then((module) => module.AccountHealth),
  waitingCard('Exchange accounts', 2),
);
const StepsOrEvents = onDemand(
  () => import('./first-steps').then((module) => module.StepsOrEvents),
  waitingCard('Live events', 6),
);
const EventsBelowSteps = onDemand(() => import('./first-steps').then((module) => module.EventsBelowSteps));

function waitingCard(title: string, rows: number) {
  return (
    <Card title={title} isFlush>
      <TableSkeleton rows={rows} />
    </Card>
  );
}

export interface OverviewProps {
  /** The id of an account that is done with its first steps, as this browser knows it. */
  readonly doneWithSteps?: string | undefined;
}

export function Overview({ doneWithSteps }: OverviewProps) {
  const areStepsDone = useUserId() === doneWithSteps;
  useEarlyData([firstEquityQuery(), accountsQuery]);
  const alerts = useAlerts();
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <>
            <EmergencyStop />
            <ButtonLink href="/trades/new" variant="primary">
              <Plus aria-hidden className="size-4" />
              Place order
            </ButtonLink>
          </>
        }
      />
      {alerts === undefined && <Loading />}
      {/* Appears with the alerts, which would move everything below them. It is loaded at the same time. */}
      <div hidden={alerts === undefined} className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <Alerts alerts={alerts ?? []} />
        <EquityCard className="lg:col-span-2" />
        <StepsOrEvents areStepsDone={areStepsDone} />
        <div className="lg:col-span-3">
          <Figures />
        </div>
        <div className="min-w-0 lg:col-span-2">
          <LatestTrades />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AccountHealth />
          {!areStepsDone && <EventsBelowSteps />}
        </div>
      </div>
    </>
  );
}

const Loading = () => (
  <div role="status" aria-label="Loading" className="grid grid-cols-1 gap-4 lg:grid-cols-3">
    <Skeleton className="h-96 lg:col-span-2" />
    <Skeleton className="h-96" />
    <Skeleton className="h-24 lg:col-span-3" />
  </div>
);
