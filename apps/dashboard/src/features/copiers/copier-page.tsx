'use client';
import { useSearchParams } from 'next/navigation';
import { accountsQuery, byId, useAccounts } from '../../data/names';
import { useEarlyData } from '../../data/server-data';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { onDemand } from '../../ui/on-demand';
import { PageHeader } from '../../ui/page-header';
import { ProfitShareTerms } from '../../ui/profit-share';
import { Skeleton, TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Status } from '../../ui/status';
import { Tab, Tabs } from '../../ui/tabs';
import { useRecordName } from '../../ui/use-record-name';
import { Amount, Time } from '../../ui/values';
import { CopierActions } from './copier-actions';
import { CopierFigures } from './copier-figures';
import { BELOW_MINIMUM_WORDS, BREACH_WORDS, limitLines, pairLines, sizingWords } from './copier-words';
import { decisionsQuery } from './decisions-query';
import { CopierNotices } from './notices';
import { StrategyName } from './strategy-name';
import { TrackingBars } from './tracking-bars';
import { type CopierRow, holdingsQuery, useCopier } from './use-copier';

const WAITING = <TableSkeleton rows={6} />;
const Decisions = onDemand(() => import('./decisions').then((module) => module.Decisions), WAITING);
const CopierLots = onDemand(() => import('./copier-lots').then((module) => module.CopierLots), WAITING);

export function CopierPage({ id }: { readonly id: string }) {
  // A chosen tab or filter shows another list.
  const isWhole = useSearchParams().size === 0;
  useEarlyData([accountsQuery, holdingsQuery(id), ...(isWhole ? [decisionsQuery(id)] : [])]);
  const copier = useCopier(id);
  const { data } = copier;
  useRecordName(data?.name);
  const retry = () => void copier.refetch();
  if (data === undefined)
    return (
      <>
        <PageHeader title="Copier" />
        {copier.isError ? (
          <Card>
            <ErrorState error={copier.error} onRetry={retry} />
          </Card>
        ) : (
          <div role="status" aria-label="Loading" className="flex flex-col gap-4">
            <Skeleton className="h-24" />
            <Skeleton className="h-72" />
          </div>
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
          </>
        }
        description={<Route copier={data} />}
        actions={<CopierActions copier={data} />}
      />
      {copier.isError && <StaleNotice error={copier.error} onRetry={retry} />}
      <div className="flex flex-col gap-4">
        <CopierNotices copier={data} />
        <CopierFigures copier={data} />
        <Tabs label="Parts of the copier" initial="decisions">
          <Tab value="decisions" label="Decisions">
            <Decisions copierId={data.id} />
          </Tab>
          <Tab value="lots" label="Lots and trades">
            <CopierLots copierId={data.id} />
          </Tab>
          <Tab value="tracking" label="Tracking difference">
            <Tracking copier={data} />
          </Tab>
          <Tab value="settings" label="Settings and terms">
            <Settings copier={data} />
          </Tab>
        </Tabs>
      </div>
    </>
  );
}

function Route({ copier }: { readonly copier: CopierRow }) {
  const { data } = useAccounts();
  return (
    <span className="flex flex-wrap items-center gap-1">
      Copies <StrategyName id={copier.strategy_id} /> to{' '}
      {byId(data, copier.exchange_account_id)?.account_name ?? '…'}
    </span>
  );
}

const Tracking = ({ copier: { stats } }: { readonly copier: CopierRow }) => (
  <div className="grid items-start gap-4 lg:grid-cols-2">
    <Card title="Tracking difference">
      <TrackingBars difference={stats.tracking_difference_bps} parts={stats.tracking} />
    </Card>
    <Card title="What is compared">
      <ul className="flex list-disc flex-col gap-2 pl-4 text-sm">
        <li>
          A perfect copy buys the full amount of each signal at the strategy's price and fee rate, without
          limits and minimums. The difference is the return of the copier less that of the perfect copy.
        </li>
        <li>The five parts add up to the difference. A bar to the left cost the copier something.</li>
        <li>
          Compared are the newest 1,000 lots of which the strategy closed at least a part while the copier was
          active. Lots that were closed by hand are left out.
        </li>
        <li>Skipping a trade that lost money makes the copier earn more: the part is then positive.</li>
      </ul>
    </Card>
  </div>
);

function Settings({ copier }: { readonly copier: CopierRow }) {
  const { locale } = usePreferences();
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Sizing and limits">
        <Details>
          <Detail name="Sizing">{sizingWords(copier.sizing, locale)}</Detail>
          {limitLines(copier.limits, locale).map(({ name, value }) => (
            <Detail key={name} name={name}>
              {value}
            </Detail>
          ))}
          {pairLines(copier, locale).map(({ name, value }) => (
            <Detail key={`${name} ${value}`} name={name}>
              {value}
            </Detail>
          ))}
          <Detail name="At a loss limit">{BREACH_WORDS[copier.on_breach] ?? copier.on_breach}</Detail>
          <Detail name="Below a minimum">
            {BELOW_MINIMUM_WORDS[copier.below_minimum] ?? copier.below_minimum}
          </Detail>
        </Details>
      </Card>
      <Terms copier={copier} />
    </div>
  );
}

function Terms({ copier }: { readonly copier: CopierRow }) {
  const { profit_share: share } = copier;
  return (
    <Card title="Terms and times">
      <Details>
        <Detail name="Profit share">
          {share === undefined ? (
            <span className="text-muted">Accepted at the first start</span>
          ) : (
            <ProfitShareTerms terms={share} />
          )}
        </Detail>
        {share !== undefined && (
          <Detail name="Accepted">
            <Time at={share.accepted_at} isExact />
          </Detail>
        )}
        {share?.next !== undefined && (
          <Detail name="From the next period">
            <ProfitShareTerms terms={share.next} />, <Time at={share.next.from} isExact />
          </Detail>
        )}
        <Detail name="Highest result so far">
          <Amount value={copier.high_water_mark} digits={2} />
        </Detail>
        <Detail name="Started">
          <Time at={copier.started_at} isExact />
        </Detail>
        <Detail name="Stopped">
          <Time at={copier.stopped_at} isExact />
        </Detail>
        <Detail name="Created">
          <Time at={copier.created_at} isExact />
        </Detail>
        <Detail name="Copier">
          <Copyable text={copier.id} isShort />
        </Detail>
      </Details>
    </Card>
  );
}
