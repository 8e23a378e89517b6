'use client';
import type { ExchangeAccount } from '@trading-automation/sdk';
import { CircleCheck, CircleX, Clock } from 'lucide-react';
import Link from 'next/link';
import { useExchangeNames } from '../../data/exchange-names';
import { useAccounts } from '../../data/names';
import { useNow } from '../../format/clock';
import { Badge } from '../../ui/badge';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import { Time } from '../../ui/values';

const SHOWN = 5;
/** The product reads all balances at least every 4 hours. */
const SYNC_LATE_MS = 5 * 3_600_000;

/** Whether each exchange account works, with the age of its last sync. */
export function AccountHealth() {
  const accounts = useAccounts();
  const { data } = accounts;
  return (
    <Card
      title="Exchange accounts"
      isFlush
      actions={
        <ButtonLink href="/exchanges" variant="ghost" className="-mr-3">
          View all
        </ButtonLink>
      }
    >
      {accounts.isPending ? (
        <TableSkeleton rows={2} />
      ) : data === undefined ? (
        <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />
      ) : data.length === 0 ? (
        <EmptyState
          title="No exchange is connected."
          action={<ButtonLink href="/exchanges/new">Connect exchange</ButtonLink>}
        />
      ) : (
        <>
          {accounts.isError && <StaleNotice error={accounts.error} onRetry={() => void accounts.refetch()} />}
          <ul>
            {data.slice(0, SHOWN).map((account) => (
              <Line key={account.id} account={account} />
            ))}
          </ul>
          {data.length > SHOWN && (
            <p className="border-t px-4 py-2 text-muted text-xs">and {data.length - SHOWN} more</p>
          )}
        </>
      )}
    </Card>
  );
}

function Line({ account }: { readonly account: ExchangeAccount<'string'> }) {
  const { id, account_name, exchange_name, trading_type, last_sync_at } = account;
  return (
    <li className="flex min-h-14 items-center justify-between gap-3 border-t px-4 py-2 text-sm">
      <div className="min-w-0">
        <Link href={`/exchanges/${id}`} className="block truncate font-medium hover:underline">
          {account_name}
        </Link>
        <p className="truncate text-muted text-xs">
          {useExchangeNames()(exchange_name)}, {trading_type}
        </p>
      </div>
      <div className="flex shrink-0 flex-col items-end gap-0.5">
        <Health account={account} />
        <p className="text-muted text-xs">
          {last_sync_at === null ? (
            'Not read yet'
          ) : (
            <>
              Balances read <Time at={last_sync_at} />
            </>
          )}
        </p>
      </div>
    </li>
  );
}

function Health({ account: { is_active, last_sync_at } }: { readonly account: ExchangeAccount<'string'> }) {
  const nowMs = useNow();
  if (!is_active)
    return (
      <Badge tone="loss" icon={<CircleX aria-hidden className="size-3" />}>
        Not active
      </Badge>
    );
  if (last_sync_at === null || nowMs - Date.parse(last_sync_at) > SYNC_LATE_MS)
    return (
      <Badge tone="warn" icon={<Clock aria-hidden className="size-3" />}>
        Sync is late
      </Badge>
    );
  return (
    <Badge tone="gain" icon={<CircleCheck aria-hidden className="size-3" />}>
      Active
    </Badge>
  );
}
