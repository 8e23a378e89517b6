'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { WithdrawalAddress } from '@trading-automation/sdk';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../data/api';
import { useMe } from '../../../data/me';
import { IconButton } from '../../../ui/button';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { FullAddress } from '../parts';

export function DeleteAddress({ address }: { readonly address: WithdrawalAddress }) {
  const queries = useQueryClient();
  const { data: me } = useMe();
  const [isAsking, setAsking] = useState(false);
  const name = address.label ?? address.address;
  const remove = async () => {
    await api().withdrawalAddresses.delete(address.id);
    await queries.invalidateQueries({ queryKey: ['withdrawals'] });
  };
  return (
    <>
      <IconButton
        label={`Delete ${name}`}
        icon={<Trash2 aria-hidden className="size-4" />}
        onClick={() => setAsking(true)}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete ${address.label ?? 'this address'}?`}
        action="Delete address"
        isDanger
        onConfirm={remove}
      >
        <FullAddress address={address.address} />
        <p className="pt-2">
          {me?.world === 'live'
            ? 'Pending withdrawals to it fail when their payout begins, and their amounts are released. To use it again, you add and confirm it again.'
            : 'Pending withdrawals to it are not cancelled.'}
        </p>
      </ConfirmDialog>
    </>
  );
}
