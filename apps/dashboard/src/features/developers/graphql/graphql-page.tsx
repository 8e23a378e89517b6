'use client';
import dynamic from 'next/dynamic';
import { loadLate } from '../../../data/late-code';
import { PageHeader } from '../../../ui/page-header';
import { Skeleton } from '../../../ui/skeleton';
import { ReferenceTabs } from '../shared/reference-tabs';

/** The editor is large, so it is loaded by this page alone. It must not become a part of the server, as `onDemand` would make it. */
const Explorer = dynamic(() => loadLate(() => import('./explorer')), {
  ssr: false,
  loading: () => <Skeleton className="h-full w-full" />,
});

export function GraphqlPage() {
  return (
    <>
      <PageHeader
        title="Reference"
        description="Queries and mutations run with the permissions of this session and change real data of the account."
      />
      <ReferenceTabs />
      <p className="pb-3 text-muted text-sm">
        Subscriptions do not run here, because the dashboard holds the credential and forwards single
        requests. Use the SDK or the command-line client for them.
      </p>
      <div className="h-[calc(100dvh-280px)] min-h-120 overflow-hidden rounded-card border bg-surface max-md:min-h-180">
        <Explorer />
      </div>
    </>
  );
}
