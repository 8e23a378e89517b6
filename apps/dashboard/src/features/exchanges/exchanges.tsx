'use client';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { supportedExchangesQuery, useSupportedExchanges } from '../../data/exchange-names';
import { useMayTrade } from '../../data/me';
import { accountsQuery, useAccounts } from '../../data/names';
import { useEarlyData } from '../../data/server-data';
import { ButtonLink } from '../../ui/button';
import { Card } from '../../ui/card';
import { StopNotice } from '../../ui/emergency-stop/stop-notice';
import { PageHeader } from '../../ui/page-header';
import { Skeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../ui/states';
import type { Account } from './account.rules';
import { AccountCard } from './account-card';

const ConnectExchange = () => (
  <ButtonLink href="/exchanges/new" variant="primary">
    <Plus aria-hidden className="size-4" />
    Connect exchange
  </ButtonLink>
);

/** The exchange accounts; `children` is the drawer of the one that the address names. */
export function Exchanges({ children }: { readonly children?: ReactNode }) {
  useEarlyData([accountsQuery, supportedExchangesQuery]);
  const mayTrade = useMayTrade();
  return (
    <>
      <PageHeader title="Exchanges" actions={mayTrade && <ConnectExchange />} />
      <Accounts mayTrade={mayTrade} />
      <StopNotice />
      {children}
    </>
  );
}

function Accounts({ mayTrade }: { readonly mayTrade: boolean }) {
  const { data, isError, error, refetch } = useAccounts();
  const supported = useSupportedExchanges();
  if (data === undefined)
    return isError ? (
      <Card>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Card>
    ) : (
      <div role="status" aria-label="Loading" className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {['a', 'b', 'c'].map((place) => (
          <Skeleton key={place} className="h-64" />
        ))}
      </div>
    );
  if (data.length === 0)
    return (
      <Card>
        <EmptyState
          title="No exchange account is connected yet."
          hint="Connect one with an API key that can trade but not withdraw."
          action={mayTrade && <ConnectExchange />}
        />
      </Card>
    );
  const exchangeOf = ({ exchange_name }: Account) => supported.data?.find(({ id }) => id === exchange_name);
  return (
    <div className="flex flex-col gap-4">
      {isError && <StaleNotice error={error} onRetry={() => void refetch()} />}
      <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
        {data.map((account) => (
          <AccountCard
            key={account.id}
            account={account}
            exchange={exchangeOf(account)?.name ?? account.exchange_name}
            isBeta={exchangeOf(account)?.stages[account.trading_type] === 'BETA'}
          />
        ))}
      </div>
    </div>
  );
}
