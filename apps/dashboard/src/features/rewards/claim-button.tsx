'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Reward } from '@trading-automation/sdk';
import { useState } from 'react';
import { api } from '../../data/api';
import { useMay } from '../../data/me';
import { useSendOnce } from '../../data/send-once';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { Amount } from '../../ui/values';

/** Claims one reward after a confirmation; nothing for a reward that cannot be claimed. */
export function ClaimButton({ reward }: { readonly reward: Reward<'string'> }) {
  const queries = useQueryClient();
  const mayClaim = useMay('WITHDRAW');
  const [isAsking, setAsking] = useState(false);
  const once = useSendOnce();
  if (reward.status !== 'CLAIMABLE') return null;
  const claim = async () => {
    await once(reward.id, (idempotencyKey) => api().rewards.claim(reward.id, { idempotencyKey }));
    await queries.invalidateQueries({ queryKey: ['rewards'] });
  };
  return (
    <>
      <Button
        className="h-7"
        disabled={mayClaim !== true}
        title={mayClaim === false ? 'This session has no WITHDRAW permission.' : undefined}
        onClick={() => setAsking(true)}
      >
        Claim
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Claim this reward?"
        action="Claim reward"
        onConfirm={claim}
      >
        <Amount value={reward.amount} asset={reward.currency} /> is added to your available balance. A reward
        can be claimed once.
      </ConfirmDialog>
    </>
  );
}
