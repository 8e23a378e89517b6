'use client';
import Link from 'next/link';
import { api } from '../../data/api';
import { useLiveState } from '../../data/live';
import { useQuery } from '../../data/query';
import { Badge, type Tone } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Skeleton } from '../../ui/skeleton';
import { ErrorState } from '../../ui/states';
import { Time } from '../../ui/values';

const LIVE: Readonly<Record<ReturnType<typeof useLiveState>['state'], { words: string; tone: Tone }>> = {
  live: { words: 'Live', tone: 'gain' },
  paused: { words: 'Paused', tone: 'neutral' },
  reconnecting: { words: 'Reconnecting', tone: 'warn' },
  stale: { words: 'Stale', tone: 'loss' },
};

/** The version of a build that is not a release. */
const UNRELEASED = '0.0.0';

/** The live connection of this page, and the versions. */
export function Connection() {
  const { state, since } = useLiveState();
  const version = useQuery({
    queryKey: ['health', 'version'],
    queryFn: ({ signal }) => api().version.get({ signal }),
    staleTime: 10 * 60_000,
  });
  const { words, tone } = LIVE[state];
  const { data } = version;
  return (
    <div className="grid items-start gap-4 pt-4 lg:grid-cols-2">
      <Card title="This page">
        <Details>
          <Detail name="Live connection">
            <Badge tone={tone}>{words}</Badge>
          </Detail>
          <Detail name={state === 'live' ? 'Connected' : 'Current until'}>
            <Time at={new Date(since).toISOString()} />
          </Detail>
          <Detail name="API reference">
            <Link href="/developers/reference" className="text-accent-text underline">
              Open the reference
            </Link>
          </Detail>
        </Details>
      </Card>
      <Card title="Version">
        {data !== undefined ? (
          <Details>
            <Detail name="Release">{data.version === UNRELEASED ? 'Development build' : data.version}</Detail>
            <Detail name="Commit">
              <Copyable text={data.commit} isShort label="the commit" />
            </Detail>
            <Detail name="Environment">{data.world === 'test' ? 'Test, with play money' : 'Live'}</Detail>
          </Details>
        ) : version.isError ? (
          <ErrorState error={version.error} onRetry={() => void version.refetch()} />
        ) : (
          <div role="status" aria-label="Loading" className="flex flex-col gap-4 py-2">
            <Skeleton className="h-4 w-full" />
            <Skeleton className="h-4 w-full" />
            <Skeleton className="h-4 w-full" />
          </div>
        )}
      </Card>
    </div>
  );
}
