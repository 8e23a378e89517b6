'use client';
import { useQueryClient } from '@tanstack/react-query';
import { CheckCheck, Settings2 } from 'lucide-react';
import { parseAsBoolean, parseAsString, useQueryState } from 'nuqs';
import { useState } from 'react';
import { api } from '../../data/api';
import { describeFailure } from '../../data/failures';
import { useUnreadCount } from '../../data/unread-count';
import { useIsHydrated } from '../../data/use-is-hydrated';
import { Button, ButtonLink } from '../../ui/button';
import { type ListReader, useList } from '../../ui/data-table/use-list';
import { notify } from '../../ui/notify';
import { PageHeader } from '../../ui/page-header';
import { Segmented } from '../../ui/segmented';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { KindFilter } from './kind-filter';
import { NotificationLine, type NotificationRow } from './notification-line';

/** The page arrives with as many notifications as a window shows; the others follow at once. */
const FIRST_ROWS = 16;
const KEY = ['notifications', 'list'];
const read: ListReader<NotificationRow> = (query, options) => api().notifications.list(query, options);

/** What happened to the account, newest first. */
export function Notifications() {
  const [isUnreadOnly, setUnreadOnly] = useQueryState('unread', parseAsBoolean.withDefault(false));
  const [kind, setKind] = useQueryState('kind', parseAsString);
  const { list, rows } = useList(KEY, read, {
    ...(isUnreadOnly ? { is_read: 'false' } : {}),
    ...(kind === null ? {} : { kind }),
  });
  const isHydrated = useIsHydrated();
  const isFiltered = isUnreadOnly || kind !== null;
  const clear = () => {
    void setUnreadOnly(null);
    void setKind(null);
  };
  const retry = () => void list.refetch();
  return (
    <>
      <PageHeader
        title="Notifications"
        actions={
          <>
            <ButtonLink href="/settings/notifications">
              <Settings2 aria-hidden className="size-4" />
              Preferences
            </ButtonLink>
            <MarkAllRead />
          </>
        }
      />
      {list.isError && rows.length > 0 && <StaleNotice error={list.error} onRetry={retry} />}
      <section aria-label="Notifications" className="min-w-0 rounded-card border bg-surface">
        <div className="flex flex-wrap items-center gap-2 px-3 py-2.5">
          <Segmented
            label="Which notifications"
            value={isUnreadOnly ? 'unread' : 'all'}
            onChange={(value) => void setUnreadOnly(value === 'unread' ? true : null)}
            options={[
              { value: 'all', label: 'All' },
              { value: 'unread', label: 'Unread' },
            ]}
          />
          <KindFilter value={kind} onChange={(value) => void setKind(value)} />
        </div>
        {list.isPending ? (
          <TableSkeleton rows={8} />
        ) : list.isError && rows.length === 0 ? (
          <ErrorState error={list.error} onRetry={retry} />
        ) : rows.length === 0 ? (
          <NothingHere isUnreadOnly={isUnreadOnly} isFiltered={isFiltered} onClear={clear} />
        ) : (
          <ul>
            {rows.slice(0, isHydrated ? rows.length : FIRST_ROWS).map((row) => (
              <NotificationLine key={row.id} notification={row} />
            ))}
          </ul>
        )}
        {list.hasNextPage && (
          <div className="border-t px-4 py-3">
            <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show older ones
            </Button>
          </div>
        )}
      </section>
    </>
  );
}

function NothingHere({
  isUnreadOnly,
  isFiltered,
  onClear,
}: {
  readonly isUnreadOnly: boolean;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}) {
  if (!isFiltered)
    return (
      <EmptyState
        title="You have no notifications yet."
        hint="Fills, copies, rewards, withdrawals and changes of access are listed here."
        action={<ButtonLink href="/settings/notifications">Choose what notifies you</ButtonLink>}
      />
    );
  return (
    <EmptyState
      title={isUnreadOnly ? 'No unread notification is left.' : 'No notification is of this kind.'}
      action={<Button onClick={onClear}>Show all</Button>}
    />
  );
}

function MarkAllRead() {
  const queries = useQueryClient();
  const unread = useUnreadCount();
  const [isBusy, setBusy] = useState(false);
  const mark = async () => {
    setBusy(true);
    try {
      await api().notifications.markAllRead();
      await queries.invalidateQueries({ queryKey: ['notifications'] });
    } catch (error) {
      notify({ kind: 'error', message: `Nothing was marked. ${describeFailure(error).advice}` });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="primary"
      icon={<CheckCheck aria-hidden className="size-4" />}
      isBusy={isBusy}
      disabled={unread === 0}
      onClick={() => void mark()}
    >
      Mark all read
    </Button>
  );
}
