import type { ApiKey } from '@trading-automation/sdk';
import { Ellipsis, RotateCw, Trash2 } from 'lucide-react';
import { Badge } from '../../../ui/badge';
import { IconButton } from '../../../ui/button';
import type { Column, Filter } from '../../../ui/data-table/columns';
import { Menu } from '../../../ui/menu';
import { MenuItem } from '../../../ui/menu-items';
import { Time } from '../../../ui/values';
import { PermissionList } from '../shared/permissions';

export const FILTERS: readonly Filter[] = [
  { name: 'include', label: 'Revoked keys', options: [{ value: 'revoked', label: 'Included' }] },
];

export const keyText = ({ prefix, last_four }: Pick<ApiKey, 'prefix' | 'last_four'>) =>
  `${prefix}…${last_four}`;

function Expiry({ apiKey: { expires_at, revoked_at } }: { readonly apiKey: ApiKey }) {
  if (revoked_at !== null) return <Badge tone="neutral">Revoked</Badge>;
  if (expires_at === null) return <span className="text-muted">Never</span>;
  return Date.parse(expires_at) < Date.now() ? (
    <Badge tone="neutral">Expired</Badge>
  ) : (
    <Time at={expires_at} />
  );
}

export const COLUMNS: readonly Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
    csv: ({ name }) => name,
  },
  {
    id: 'key',
    header: 'Key',
    cell: (key) => <code className="font-mono text-xs whitespace-nowrap">{keyText(key)}</code>,
    csv: keyText,
  },
  {
    id: 'permissions',
    header: 'Permissions',
    from: 'md',
    cell: ({ permissions }) => <PermissionList permissions={permissions} />,
    csv: ({ permissions }) => permissions.join(' '),
  },
  {
    id: 'expires_at',
    header: 'Expires',
    from: 'md',
    cell: (key) => <Expiry apiKey={key} />,
    csv: ({ expires_at }) => expires_at,
  },
  {
    id: 'ip_allowlist',
    header: 'Allowed addresses',
    from: 'xl',
    cell: ({ ip_allowlist: [first, ...rest], ...key }) =>
      first === undefined ? (
        <span className="text-muted">Any</span>
      ) : (
        <span title={[first, ...rest].join(', ')} className="whitespace-nowrap" key={key.id}>
          <code className="font-mono text-xs">{first}</code>
          {rest.length > 0 && <span className="text-muted"> and {rest.length} more</span>}
        </span>
      ),
    csv: ({ ip_allowlist }) => ip_allowlist.join(' '),
  },
  {
    id: 'created_at',
    header: 'Created',
    sort: 'created_at',
    from: 'xl',
    cell: ({ created_at }) => <Time at={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    id: 'last_used_at',
    header: 'Last used',
    from: 'md',
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="text-muted">Never</span> : <Time at={last_used_at} />,
    csv: ({ last_used_at }) => last_used_at,
  },
];

/** The column of the actions of a key. */
export const actionsColumn = (
  onRotate: (key: ApiKey) => void,
  onRevoke: (key: ApiKey) => void,
): Column<ApiKey> => ({
  id: 'actions',
  header: 'Actions',
  isNumeric: true,
  cell: (key) =>
    key.revoked_at === null && (
      <Menu
        align="end"
        trigger={
          <IconButton label={`Actions of ${key.name}`} icon={<Ellipsis aria-hidden className="size-4" />} />
        }
      >
        <MenuItem icon={<RotateCw aria-hidden className="size-4" />} onSelect={() => onRotate(key)}>
          Rotate key
        </MenuItem>
        <MenuItem isDanger icon={<Trash2 aria-hidden className="size-4" />} onSelect={() => onRevoke(key)}>
          Revoke key
        </MenuItem>
      </Menu>
    ),
  csv: () => undefined,
});
