'use client';
import type { WithdrawalAddress } from '@trading-automation/sdk';
import { Time } from '../../../ui/values';

/** Says from when tokens can be sent to an address. */
export function UsableFrom({ address }: { readonly address: WithdrawalAddress }) {
  const { status, usable_at } = address;
  if (status === 'PENDING') return 'Confirm it by the link in the mail, which is valid for 24 hours.';
  if (status === 'HELD')
    return (
      <>
        Usable from <Time at={usable_at} isExact />
      </>
    );
  return (
    <>
      Usable since <Time at={usable_at} isExact />
    </>
  );
}
