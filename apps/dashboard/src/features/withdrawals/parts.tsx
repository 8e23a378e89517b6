import { CopyButton } from '../../ui/copyable';
import { groupsOf } from './wallet-address.rules';

/** An address in full, in groups of four that are easy to compare. */
export function FullAddress({ address }: { readonly address: string }) {
  return (
    <span className="inline-flex items-start gap-1">
      <code className="flex flex-wrap gap-x-2 gap-y-0.5 font-mono text-sm">
        {groupsOf(address).map((group, i) => (
          // The groups of an address never change their order.
          <span key={`${i}-${group}`}>{group}</span>
        ))}
      </code>
      <CopyButton text={address} label="Copy the address" />
    </span>
  );
}

/** An address shortened for a table; the whole one is copied. */
export function ShortAddress({ address }: { readonly address: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <code className="font-mono text-xs" title={address}>
        {address.slice(0, 8)}…{address.slice(-6)}
      </code>
      <CopyButton text={address} label={`Copy ${address}`} />
    </span>
  );
}
