'use client';
import Link from 'next/link';
import { useState } from 'react';
import { useMe } from '../../../data/me';
import { Button } from '../../../ui/button';
import { Card } from '../../../ui/card';
import { TableSkeleton } from '../../../ui/skeleton';
import { ErrorState } from '../../../ui/states';
import { useAddresses } from '../data';
import { AddressChoice } from './address-choice';
import type { WithdrawalDraft } from './flow';
import { NewAddressForm } from './new-address-form';

const NEW = 'new';

/** The address: one of the address book, or a new one where the world allows it. */
export function AddressStep({
  draft,
  onBack,
  onNext,
}: {
  readonly draft: WithdrawalDraft;
  readonly onBack: () => void;
  readonly onNext: (chosen: Pick<WithdrawalDraft, 'address' | 'label'>) => void;
}) {
  const addresses = useAddresses();
  const { data: me } = useMe();
  const known = addresses.data?.find(({ address }) => address === draft.address);
  const [chosen, setChosen] = useState<string | undefined>(
    known?.id ?? (draft.address === '' ? undefined : NEW),
  );
  if (addresses.data === undefined || me === undefined)
    return (
      <Card title="Where to?" isFlush>
        {addresses.isError ? (
          <ErrorState error={addresses.error} onRetry={() => void addresses.refetch()} />
        ) : (
          <TableSkeleton rows={4} />
        )}
      </Card>
    );
  const isTest = me.world === 'test';
  const active = addresses.data.filter(({ status }) => status === 'ACTIVE');
  const selected = chosen ?? (active.length === 0 ? NEW : undefined);
  const entry = active.find(({ id }) => id === selected);
  const buttons = (
    <div className="flex justify-end gap-2 pt-1">
      <Button onClick={onBack}>Back</Button>
      <Button
        variant="primary"
        disabled={entry === undefined}
        onClick={() => entry !== undefined && onNext({ address: entry.address, label: entry.label })}
      >
        Continue
      </Button>
    </div>
  );
  return (
    <Card
      title="Where to?"
      actions={
        <Link href="/withdrawals/addresses" className="text-accent-text text-sm underline">
          Manage the address book
        </Link>
      }
    >
      <div className="flex flex-col gap-3">
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">Address</legend>
          {addresses.data.map((address) => (
            <AddressChoice
              key={address.id}
              address={address}
              isChosen={selected === address.id}
              onChoose={() => setChosen(address.id)}
            />
          ))}
          <AddressChoice isChosen={selected === NEW} onChoose={() => setChosen(NEW)} />
        </fieldset>
        {selected === NEW ? (
          isTest ? (
            <NewAddressForm
              initial={entry === undefined ? draft.address : ''}
              onBack={onBack}
              onNext={onNext}
            />
          ) : (
            <>
              <p className="rounded-card border bg-hover px-3 py-2 text-sm">
                In the live world, tokens are sent only to an active address of your{' '}
                <Link href="/withdrawals/addresses?new=1" className="text-accent-text underline">
                  address book
                </Link>
                . Add the address there, confirm it by mail, and wait until its hold ends.
              </p>
              {buttons}
            </>
          )
        ) : (
          buttons
        )}
      </div>
    </Card>
  );
}
