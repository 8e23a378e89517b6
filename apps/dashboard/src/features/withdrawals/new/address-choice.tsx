'use client';
import type { WithdrawalAddress } from '@trading-automation/sdk';
import { classNames } from '../../../ui/class-names';
import { Status } from '../../../ui/status';
import { UsableFrom } from '../addresses/usable-from';

/** One address of the book, or "another address" without `address`. */
export function AddressChoice({
  address,
  isChosen,
  onChoose,
}: {
  readonly address?: WithdrawalAddress;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}) {
  const isUsable = address === undefined || address.status === 'ACTIVE';
  return (
    <label
      className={classNames(
        'flex items-start gap-3 rounded-card border px-3 py-2.5 text-sm',
        isChosen && 'border-accent bg-accent-soft',
        isUsable ? 'cursor-pointer' : 'bg-hover text-muted',
      )}
    >
      <input
        type="radio"
        name="address"
        checked={isChosen}
        disabled={!isUsable}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      {address === undefined ? (
        <span className="font-medium">Another address</span>
      ) : (
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <span className="font-medium">{address.label ?? 'Without a label'}</span>
            {!isUsable && <Status value={address.status} />}
          </span>
          <code className="block break-all font-mono text-xs">{address.address}</code>
          {!isUsable && (
            <span className="block pt-0.5 text-xs">
              <UsableFrom address={address} />
            </span>
          )}
        </span>
      )}
    </label>
  );
}
