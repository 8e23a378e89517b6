'use client';
import type { DetailedHealth } from '@trading-automation/sdk';
import { CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';
import { formatDuration } from '../../format/times';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { PageHeader } from '../../ui/page-header';
import { Skeleton, TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Time } from '../../ui/values';
import { Connection } from './connection';
import { History } from './history';
import { partWords } from './parts';

const RELOAD_MS = 15_000;
/** The status of a service that never sent a heartbeat. */
const NEVER_MS = 86_400_000;

/** Whether every part of the service responds, in words. */
export function Status() {
  const health = useQuery({
    queryKey: ['health', 'detailed'],
    queryFn: ({ signal }) => api().health.detailed({ signal }),
    refetchInterval: RELOAD_MS,
  });
  const retry = () => void health.refetch();
  const { data } = health;
  return (
    <>
      <PageHeader
        title="Status"
        actions={
          <Button
            isBusy={health.isFetching}
            icon={<RefreshCw aria-hidden className="size-4" />}
            onClick={retry}
          >
            Check again
          </Button>
        }
      />
      {health.isError && data !== undefined && <StaleNotice error={health.error} onRetry={retry} />}
      {data === undefined ? (
        <Card isFlush>
          {health.isError ? <ErrorState error={health.error} onRetry={retry} /> : <LoadingParts />}
        </Card>
      ) : (
        <>
          <Verdict health={data} checkedAt={new Date(health.dataUpdatedAt).toISOString()} />
          <Parts services={data.services} />
        </>
      )}
      {!health.isPending && (
        <>
          <Connection />
          <History
            health={data}
            succeededAtMs={health.dataUpdatedAt}
            failedAtMs={health.isError ? health.errorUpdatedAt : 0}
          />
        </>
      )}
    </>
  );
}

function LoadingParts() {
  return (
    <div className="pt-4">
      <Skeleton className="mx-4 mb-4 h-8 w-64" />
      <TableSkeleton rows={6} />
    </div>
  );
}

function Verdict({ health, checkedAt }: { readonly health: DetailedHealth; readonly checkedAt: string }) {
  const failing = Object.values(health.services).filter(({ status }) => status !== 'ok').length;
  const Icon = failing === 0 ? CircleCheck : TriangleAlert;
  return (
    <div role="status" className="mb-4 flex items-center gap-3 rounded-card border bg-surface p-4">
      <Icon aria-hidden className={failing === 0 ? 'size-6 text-gain' : 'size-6 text-warn'} />
      <div>
        <p className="font-semibold text-xl">
          {failing === 0
            ? 'Everything works.'
            : failing === 1
              ? 'One part does not respond as it should.'
              : `${failing} parts do not respond as they should.`}
        </p>
        <p className="text-muted text-sm">
          Checked <Time at={checkedAt} />, and every 15 s while this page is open.
        </p>
      </div>
    </div>
  );
}

function Parts({ services }: { readonly services: DetailedHealth['services'] }) {
  return (
    <Card title="Parts of the service" isFlush>
      <ul>
        {Object.entries(services).map(([service, { status, age_ms }]) => {
          const { name, meaning, consequence } = partWords(service);
          const isOk = status === 'ok';
          return (
            <li key={service} className="flex items-start justify-between gap-4 border-t px-4 py-3 text-sm">
              <div className="min-w-0">
                <h3 className="font-medium">{name}</h3>
                <p className="text-muted">{meaning}</p>
                {!isOk && <p className="pt-0.5">{consequence}</p>}
              </div>
              <div className="shrink-0 text-right">
                <Badge tone={isOk ? 'gain' : 'loss'}>{isOk ? 'Works' : 'Does not respond'}</Badge>
                {age_ms > 0 && (
                  <p className="pt-0.5 text-muted text-xs">
                    {age_ms >= NEVER_MS ? 'Never seen' : `Seen ${formatDuration(age_ms)} ago`}
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
