'use client';
import { useMe } from '../../../data/me';
import { Card } from '../../../ui/card';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { ApproveCode } from './approve-code';
import { useSessions } from './data';
import { SessionLine } from './session-line';
import { SignOutEverywhere } from './sign-out-everywhere';
import { SignOutOthers } from './sign-out-others';

/** The open browser sessions, and the approval of another one. */
export function Sessions() {
  const sessions = useSessions();
  const { data: me } = useMe();
  const retry = () => void sessions.refetch();
  const { data } = sessions;
  return (
    <>
      {sessions.isError && data !== undefined && <StaleNotice error={sessions.error} onRetry={retry} />}
      <div className="flex flex-col gap-4">
        <ApproveCode />
        <Card
          title="Browser sessions"
          isFlush
          actions={
            data !== undefined &&
            data.length > 0 && (
              <div className="flex flex-wrap justify-end gap-2">
                {me !== undefined && (
                  <SignOutOthers others={data.filter(({ id }) => id !== me.credential.id)} />
                )}
                <SignOutEverywhere count={data.length} />
              </div>
            )
          }
        >
          <p className="px-4 pb-3 text-muted text-sm">
            A session ends after 30 minutes without use, and after 12 hours in any case.
          </p>
          {sessions.isPending && <TableSkeleton rows={3} />}
          {sessions.isError && data === undefined && <ErrorState error={sessions.error} onRetry={retry} />}
          {data?.length === 0 && <EmptyState title="No browser session is open." />}
          {data !== undefined && data.length > 0 && (
            <ul>
              {data.map((session) => (
                <SessionLine
                  key={session.id}
                  session={session}
                  isCurrent={session.id === me?.credential.id}
                />
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  );
}
