'use client';
import { Plus } from 'lucide-react';
import { ButtonLink } from '../../ui/button';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { PageHeader } from '../../ui/page-header';
import { AccountHealth } from './account-health';
import { Alerts } from './alerts';
import { EquityCard } from './equity-card';
import { Figures } from './figures';
import { LatestTrades } from './latest-trades';
import { LiveEvents } from './live-events';
import { Onboarding } from './onboarding';
import { useOnboarding } from './use-onboarding';

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
        <LatestTrades className="lg:col-span-2" />
        <div className="flex min-w-0 flex-col gap-4">
          <AccountHealth />
          {onboarding.isShown && <LiveEvents />}
        </div>
      </div>
    </>
  );
}
