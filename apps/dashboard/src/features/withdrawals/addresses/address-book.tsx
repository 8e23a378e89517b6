'use client';
import type { WithdrawalAddress } from '@trading-automation/sdk';
import { Plus } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMay, useMe } from '../../../data/me';
import { Button, ButtonLink } from '../../../ui/button';
import { onDemand } from '../../../ui/on-demand';
import { PageHeader } from '../../../ui/page-header';
import { TableSkeleton } from '../../../ui/skeleton';
import { StaleNotice } from '../../../ui/stale-notice';
import { EmptyState, ErrorState } from '../../../ui/states';
import { Status } from '../../../ui/status';
import { useAddresses } from '../data';
import { FullAddress } from '../parts';
import { DeleteAddress } from './delete-address';
import { UsableFrom } from './usable-from';

const AddAddress = onDemand(() => import('./add-address').then((module) => module.AddAddress));

/** The addresses that tokens can be sent to. */
export function AddressBook() {
  const me = useMe();
  const mayWithdraw = useMay('WITHDRAW');
  const addresses = useAddresses(mayWithdraw === true);
  const [isAdding, setAdding] = useQueryState('new', parseAsBoolean.withDefault(false));
  // The addresses are not requested before the permissions of the session are known.
  const failed = addresses.isError ? addresses : me.isError && me.data === undefined ? me : undefined;
  const retry = () => void failed?.refetch();
  const add = mayWithdraw === true && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => void setAdding(true)}
    >
      Add address
    </Button>
  );
  const { data } = addresses;
  return (
    <>
      <PageHeader
        title="Address book"
        description="A new address is confirmed by mail and held for a while, so that a stolen session cannot send tokens away at once."
        actions={
          <>
            <ButtonLink href="/withdrawals">All withdrawals</ButtonLink>
            {add}
          </>
        }
      />
      {addresses.isError && data !== undefined && <StaleNotice error={addresses.error} onRetry={retry} />}
      <section aria-label="Addresses" className="rounded-card border bg-surface">
        {mayWithdraw === false && (
          <EmptyState
            title="This session may not see the address book."
            hint="It has no WITHDRAW permission. Sign in with a key that has it."
          />
        )}
        {mayWithdraw !== false && addresses.isPending && failed === undefined && <TableSkeleton rows={4} />}
        {failed !== undefined && data === undefined && <ErrorState error={failed.error} onRetry={retry} />}
        {data?.length === 0 && (
          <EmptyState title="Your address book is empty." hint="You may keep 20 addresses." action={add} />
        )}
        {data !== undefined && data.length > 0 && (
          <ul>
            {data.map((address) => (
              <AddressLine key={address.id} address={address} />
            ))}
          </ul>
        )}
      </section>
      {isAdding && <AddAddress onClose={() => void setAdding(null)} />}
    </>
  );
}

function AddressLine({ address }: { readonly address: WithdrawalAddress }) {
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-2 border-t px-4 py-3 text-sm first:border-t-0 lg:grid-cols-[minmax(140px,1fr)_auto_minmax(180px,1fr)_auto]">
      <h2 className="min-w-0 break-words font-medium">{address.label ?? 'Without a label'}</h2>
      <div className="lg:order-last">
        <DeleteAddress address={address} />
      </div>
      <div className="col-span-2 lg:col-span-1">
        <FullAddress address={address.address} />
      </div>
      <div className="col-span-2 lg:col-span-1 lg:pl-4">
        <Status value={address.status} />
        <p className="pt-0.5 text-muted text-xs">
          <UsableFrom address={address} />
        </p>
      </div>
    </li>
  );
}
