'use client';
import Link from 'next/link';
import { api } from '../../data/api';
import { byId, useAccounts } from '../../data/names';
import { useQuery } from '../../data/query';
import { Card } from '../../ui/card';
import { TableSkeleton } from '../../ui/skeleton';
import { ErrorState } from '../../ui/states';
import { Status } from '../../ui/status';
import { Change } from '../../ui/values';
import type { StrategyRow } from './figures';

/** The copiers of the user that follow a strategy. Those of other users are a number alone. */
function useOwnCopiers(strategyId: string) {
  return useQuery({
    queryKey: ['copiers', 'of-strategy', strategyId],
    queryFn: ({ signal }) => api().copiers.list({ strategy_id: strategyId, limit: 100 }, { signal }),
    structuralSharing: false,
  });
}

export function LinkedCopiers({ strategy }: { readonly strategy: StrategyRow }) {
  const copiers = useOwnCopiers(strategy.id);
  const accounts = useAccounts();
  const own = copiers.data?.data ?? [];
  const others = Math.max(0, strategy.copier_count - own.length);
  return (
    <Card title="Your copiers" isFlush>
      {copiers.isPending && <TableSkeleton rows={2} />}
      {copiers.isError && copiers.data === undefined && (
        <ErrorState error={copiers.error} onRetry={() => void copiers.refetch()} />
      )}
      {copiers.data !== undefined && own.length === 0 && (
        <p className="px-4 pb-4 text-muted text-sm">None of your copiers follows this strategy.</p>
      )}
      <ul className="empty:hidden">
        {own.map(({ id, name, status, stats, exchange_account_id }) => (
          <li key={id} className="flex min-h-11 items-center gap-3 border-t px-4 py-1.5 text-sm">
            <span className="min-w-0 flex-1">
              <Link href={`/copiers/${id}`} className="block truncate font-medium hover:underline">
                {name}
              </Link>
              <span className="block truncate text-muted text-xs">
                {byId(accounts.data, exchange_account_id)?.account_name ?? '…'}
              </span>
            </span>
            <Change value={stats.net_pnl} />
            <Status value={status} />
          </li>
        ))}
      </ul>
      {others > 0 && (
        <p className="border-t px-4 py-2 text-muted text-xs">
          {others} {others === 1 ? 'copier belongs' : 'copiers belong'} to other users.
        </p>
      )}
    </Card>
  );
}
