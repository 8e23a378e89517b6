'use client';
import { Plus } from 'lucide-react';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { onDemand } from '../../ui/on-demand';
import { PageHeader } from '../../ui/page-header';
import { TableSkeleton } from '../../ui/skeleton';
import { Alerts } from './alerts';
import { EquityCard } from './equity-card';
import { Figures } from './figures';
import { useOnboarding } from './use-onboarding';

// The lists load after the figures and the curve, which are what a trader looks at first.
const LatestTrades = onDemand(
  () => import('./latest-trades').then((module) => module.LatestTrades),
  waitingCard('Latest trades', 8),
);
const AccountHealth = onDemand(
  () => import('./account-health').then((module) => module.AccountHealth),
  waitingCard('Exchange accounts', 2),
);
const LiveEvents = onDemand(
  () => import('./live-events').then((module) => module.LiveEvents),
  waitingCard('Live events', 6),
);
const Onboarding = onDemand(() => import('./onboarding').then((module) => module.Onboarding));

function waitingCard(title: string, rows: number) {
  return (
    <Card title={title} isFlush>
      <TableSkeleton rows={rows} />
    </Card>
  );
}

export function Overview() {
  const onboarding = useOnboarding();
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
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <Alerts />
        <EquityCard className="lg:col-span-2" />
        {onboarding.isShown ? <Onboarding onboarding={onboarding} /> : <LiveEvents />}
        <div className="lg:col-span-3">
          <Figures />
        </div>
        <div className="min-w-0 lg:col-span-2">
          <LatestTrades />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AccountHealth />
          {onboarding.isShown && <LiveEvents />}
        </div>
      </div>
    </>
  );
}
