'use client';
import type { Withdrawal } from '@trading-automation/sdk';
import { useRouter, useSearchParams } from 'next/navigation';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';
import { Copyable } from '../../ui/copyable';
import { Detail, Details } from '../../ui/details';
import { Drawer } from '../../ui/drawer';
import { JsonView } from '../../ui/json-view';
import { TableSkeleton } from '../../ui/skeleton';
import { StaleNotice } from '../../ui/stale-notice';
import { ErrorState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Timeline } from '../../ui/timeline';
import { Amount } from '../../ui/values';
import { CancelWithdrawal } from './cancel-withdrawal';
import { FullAddress } from './parts';

/** The details of a withdrawal, beside the list. */
export function WithdrawalDrawer({ id }: { readonly id: string }) {
  const router = useRouter();
  const search = useSearchParams().toString();
  const withdrawal = useQuery({
    queryKey: ['withdrawals', id],
    queryFn: ({ signal }) => api().withdrawals.get(id, { signal }),
  });
  const close = () => router.push(`/withdrawals${search === '' ? '' : `?${search}`}`, { scroll: false });
  const retry = () => void withdrawal.refetch();
  const { data } = withdrawal;
  return (
    <Drawer
      isOpen
      onClose={close}
      title="Withdrawal"
      footer={data !== undefined && <CancelWithdrawal withdrawal={data} />}
    >
      {withdrawal.isPending && <TableSkeleton rows={6} />}
      {withdrawal.isError &&
        (data === undefined ? (
          <ErrorState error={withdrawal.error} onRetry={retry} />
        ) : (
          <StaleNotice error={withdrawal.error} onRetry={retry} />
        ))}
      {data !== undefined && <WithdrawalDetails withdrawal={data} />}
    </Drawer>
  );
}

function WithdrawalDetails({ withdrawal }: { readonly withdrawal: Withdrawal<'string'> }) {
  const { amount, fee, net_amount, currency, network, status, status_reason, failure, tx_hash } = withdrawal;
  return (
    <div className="flex flex-col gap-6">
      <Details>
        <Detail name="Status">
          <Status value={status} />
        </Detail>
        {status_reason !== undefined && <Detail name="Why">{status_reason}</Detail>}
        {failure !== undefined && (
          <Detail name="Why it failed">
            {failure.message} <code className="font-mono text-xs">{failure.code}</code>
          </Detail>
        )}
        <Detail name="Amount">
          <Amount value={amount} asset={currency} digits={18} />
        </Detail>
        <Detail name="Fee">
          <Amount value={fee} asset={currency} digits={18} />
        </Detail>
        <Detail name="Net amount">
          <Amount value={net_amount} asset={currency} digits={18} />
        </Detail>
        <Detail name="Network">{wordsOf(network)}</Detail>
        {tx_hash !== undefined && (
          <Detail name="Transaction">
            <Copyable text={tx_hash} isShort />
          </Detail>
        )}
        {withdrawal.confirmations !== undefined && (
          <Detail name="Confirmations">{withdrawal.confirmations}</Detail>
        )}
        <Detail name="Withdrawal">
          <Copyable text={withdrawal.id} isShort />
        </Detail>
      </Details>
      <section className="text-sm">
        <h3 className="pb-1 font-medium">To</h3>
        <FullAddress address={withdrawal.wallet_address} />
      </section>
      <section className="text-sm">
        <h3 className="pb-1 font-medium">What happened</h3>
        <Timeline
          steps={[
            { label: 'Requested, amount held', at: withdrawal.requested_at },
            { label: 'Payout started', at: withdrawal.processed_at },
            { label: 'Paid out', at: withdrawal.completed_at },
            { label: 'Cancelled, amount released', at: withdrawal.cancelled_at },
            {
              label: 'Failed, amount released',
              at: status === 'FAILED' ? withdrawal.updated_at : undefined,
            },
          ]}
        />
      </section>
      <JsonView value={withdrawal} />
    </div>
  );
}
