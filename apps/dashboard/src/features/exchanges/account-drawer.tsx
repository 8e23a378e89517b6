'use client';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '../../data/api';
import { useSupportedExchanges } from '../../data/exchange-names';
import { useFreeBalances } from '../../data/free-balances';
import { useMayTrade } from '../../data/me';
import { useQuery } from '../../data/query';
import { useNow } from '../../format/clock';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Drawer } from '../../ui/drawer';
import { JsonView } from '../../ui/json-view';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { wordsOf } from '../../ui/status';
import { useRecordName } from '../../ui/use-record-name';
import { Time } from '../../ui/values';
import { type Account, balancesOf, LIVE_BALANCES, marginBalancesOf, rightOf, stateOf } from './account.rules';
import { BalanceTable } from './balance-table';
import { CredentialsDialog, RenameDialog } from './edit-dialogs';
import { MarginBalanceTable } from './margin-balance-table';
import { RemoveDialog } from './remove-dialog';
import { useSync } from './use-sync';

/** Where the amounts of the balances come from. */
const BALANCE_NOTES: Readonly<Record<Account['trading_type'], string>> = {
  spot: 'The API reports totals. What is in orders is computed from the open orders of the account.',
  margin:
    'Borrowed is what the exchange has lent. Interest is what it charged and you have not paid yet. Both are read with the balances.',
  perpetual: 'The API reports totals. What is free on a perpetual account, only the exchange knows.',
};

/** The details of an account, beside the list. */
export function AccountDrawer({ id }: { readonly id: string }) {
  const router = useRouter();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['exchanges', id],
    queryFn: ({ signal }) => api().exchanges.get(id, { signal }),
  });
  useRecordName(data?.account_name);
  return (
    <Drawer
      isOpen
      onClose={() => router.push('/exchanges', { scroll: false })}
      title={data?.account_name ?? 'Exchange account'}
      footer={data !== undefined && <Actions account={data} />}
    >
      {isPending && <TableSkeleton rows={6} />}
      {isError && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isError && data !== undefined && <StaleNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && <AccountDetails account={data} />}
    </Drawer>
  );
}

function AccountDetails({ account }: { readonly account: Account }) {
  const state = stateOf(account, useNow());
  const supported = useSupportedExchanges();
  const { state: syncing, sync } = useSync(account.id);
  const mayTrade = useMayTrade();
  const isSpot = account.trading_type === 'spot';
  const { free, error } = useFreeBalances(isSpot ? account : undefined);
  const exchange = supported.data?.find(({ id }) => id === account.exchange_name);
  return (
    <div className="flex flex-col gap-6">
      <Details>
        <Detail name="State">
          <Badge tone={state.tone}>{state.label}</Badge>
        </Detail>
        {state.advice !== undefined && <Detail name="What to do">{state.advice}</Detail>}
        <Detail name="Exchange">{exchange?.name ?? account.exchange_name}</Detail>
        <Detail name="Type">
          <span className="inline-flex items-center gap-2">
            {wordsOf(account.trading_type)}
            {exchange?.stages[account.trading_type] === 'BETA' && <Badge>Beta</Badge>}
          </span>
        </Detail>
        <Detail name="Key can trade">{rightOf(account.can_trade)}</Detail>
        <Detail name="Key can withdraw">{rightOf(account.can_withdraw)}</Detail>
        <Detail name="All balances read">
          {account.last_sync_at === null ? 'Not yet' : <Time at={account.last_sync_at} />}
        </Detail>
        <Detail name="Connected">
          <Time at={account.created_at} />
        </Detail>
        <Detail name="Account">
          <Copyable text={account.id} isShort />
        </Detail>
      </Details>
      <section>
        <div className="flex items-center justify-between gap-2 pb-1">
          <h3 className="font-semibold text-base">Balances</h3>
          {mayTrade && account.is_active && (
            <Button isBusy={syncing.kind === 'running'} onClick={() => void sync()}>
              Sync and test
            </Button>
          )}
        </div>
        <p role="status" className={syncing.kind === 'failed' ? 'text-loss text-xs' : 'text-muted text-xs'}>
          {syncing.kind === 'running' && 'Reading the balances'}
          {(syncing.kind === 'done' || syncing.kind === 'failed') && syncing.text}
        </p>
        {account.trading_type === 'margin' ? (
          <MarginBalanceTable balances={marginBalancesOf(account)} areRead={account.last_sync_at !== null} />
        ) : (
          <BalanceTable
            balances={balancesOf(account)}
            areRead={account.last_sync_at !== null}
            {...(isSpot ? { free: { amounts: free, isFailed: error !== null } } : {})}
          />
        )}
        <p className="pt-2 text-muted text-xs">
          {BALANCE_NOTES[account.trading_type]}
          {account.is_active && ` ${LIVE_BALANCES}`}
        </p>
      </section>
      <JsonView value={account} />
    </div>
  );
}

function Actions({ account }: { readonly account: Account }) {
  const mayTrade = useMayTrade();
  const [open, setOpen] = useState<'rename' | 'credentials' | 'remove'>();
  const close = () => setOpen(undefined);
  if (!mayTrade)
    return <span className="text-muted text-sm">Changes need a session with the permission TRADE.</span>;
  return (
    <>
      <Button variant="danger-outline" onClick={() => setOpen('remove')}>
        Remove
      </Button>
      <Button onClick={() => setOpen('rename')}>Rename</Button>
      <Button onClick={() => setOpen('credentials')}>Replace credentials</Button>
      <RenameDialog key={account.account_name} account={account} isOpen={open === 'rename'} onClose={close} />
      <CredentialsDialog account={account} isOpen={open === 'credentials'} onClose={close} />
      <RemoveDialog account={account} isOpen={open === 'remove'} onClose={close} />
    </>
  );
}
