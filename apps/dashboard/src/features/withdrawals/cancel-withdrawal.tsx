'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Withdrawal } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../data/api';
import { useMay } from '../../data/me';
import { useSendOnce } from '../../data/send-once';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Amount } from '../../ui/values';

/** Cancels a withdrawal whose payout has not begun. */
export function CancelWithdrawal({ withdrawal }: { readonly withdrawal: Withdrawal<'string'> }) {
  const queries = useQueryClient();
  const mayWithdraw = useMay('WITHDRAW');
  const [isAsking, setAsking] = useState(false);
  const once = useSendOnce();
  const { id, status, amount, currency } = withdrawal;
  const cancel = async () => {
    await once(id, (idempotencyKey) => api().withdrawals.cancel(id, { idempotencyKey }));
    await Promise.all(
      ['withdrawals', 'rewards'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
    );
  };
  if (status === 'PROCESSING')
    return <span className="text-muted text-sm">The payout has begun; it cannot be cancelled.</span>;
  if (status !== 'PENDING') return <span className="text-muted text-sm">This withdrawal is final.</span>;
  return (
    <>
      <Button
        variant="danger-outline"
        disabled={mayWithdraw !== true}
        title={mayWithdraw === false ? 'This session has no WITHDRAW permission.' : undefined}
        onClick={() => setAsking(true)}
      >
        Cancel withdrawal
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Cancel this withdrawal?"
        action="Cancel withdrawal"
        keep="Keep withdrawal"
        isDanger
        onConfirm={cancel}
      >
        Nothing is paid out. <Amount value={amount} asset={currency} digits={18} /> is released to your
        available balance.
      </ConfirmDialog>
    </>
  );
}
