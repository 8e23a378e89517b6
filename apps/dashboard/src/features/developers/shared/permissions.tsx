import type { Permission } from '../../../data/me';
import { Badge } from '../../../ui/badge';

export const PERMISSIONS: readonly {
  readonly value: Permission;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'READ', label: 'Read', hint: 'See trades, balances, strategies, events and webhooks.' },
  {
    value: 'TRADE',
    label: 'Trade',
    hint: 'Place and cancel orders, manage exchanges, strategies and copiers. Includes Read.',
  },
  {
    value: 'WITHDRAW',
    label: 'Withdraw',
    hint: 'Claim rewards, withdraw tokens, and add and remove withdrawal addresses. Includes Read.',
  },
  {
    value: 'ADMIN',
    label: 'Admin',
    hint: 'Everything: trade and withdraw, create and revoke keys, end sessions, change webhooks, read the request log.',
  },
];

const labelOf = (permission: string) =>
  PERMISSIONS.find(({ value }) => value === permission)?.label ?? permission;

/** What a credential may do. */
export function PermissionList({ permissions }: { readonly permissions: readonly string[] }) {
  return (
    <span className="inline-flex flex-wrap gap-1 align-middle">
      {permissions.map((permission) => (
        <Badge
          key={permission}
          tone={permission === 'ADMIN' || permission === 'WITHDRAW' ? 'warn' : 'neutral'}
        >
          {labelOf(permission)}
        </Badge>
      ))}
    </span>
  );
}
