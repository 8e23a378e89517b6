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
import { sumOf } from './rewards.rules';

/** Claims all claimable rewards, one request each. What was claimed before a failure stays claimed. */
export function ClaimAll({ rewards }: { readonly rewards: readonly Reward<'string'>[] }) {
  const queries = useQueryClient();
  const mayClaim = useMay('WITHDRAW');
  const [isAsking, setAsking] = useState(false);
  const [claimed, setClaimed] = useState<number>();
  const once = useSendOnce();
  const claimable = rewards.filter(({ status }) => status === 'CLAIMABLE');
  const count = claimable.length;
  const claimAll = async () => {
    try {
      for (const [i, { id }] of claimable.entries()) {
        setClaimed(i);
        await once(id, (idempotencyKey) => api().rewards.claim(id, { idempotencyKey }));
      }
    } finally {
      setClaimed(undefined);
      await queries.invalidateQueries({ queryKey: ['rewards'] });
    }
  };
  const reason =
    mayClaim === false
      ? 'This session has no WITHDRAW permission.'
      : count === 0
        ? 'No reward can be claimed now.'
        : undefined;
  return (
    <>
      <Button
        variant="primary"
        disabled={mayClaim !== true || count === 0}
        title={reason}
        onClick={() => setAsking(true)}
      >
        Claim all
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Claim ${count} ${count === 1 ? 'reward' : 'rewards'}?`}
        action={claimed === undefined ? 'Claim all' : `${claimed} of ${count} claimed`}
        onConfirm={claimAll}
      >
        <Amount value={sumOf(claimable, 'CLAIMABLE')} asset={claimable[0]?.currency} /> in total is added to
        your available balance.
      </ConfirmDialog>
    </>
  );
}
