import type { Reward } from '@trading-automation/sdk';
import Link from 'next/link';
import { recordPath } from '../../data/record-paths';
import type { Column, Filter } from '../../ui/data-table/columns';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Missing, Time } from '../../ui/values';
import { ClaimButton } from './claim-button';
import { useRewardTypes } from './data';

export type RewardRow = Reward<'string'>;

export const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['PENDING', 'CLAIMABLE', 'CLAIMED', 'EXPIRED'].map((value) => ({
      value,
      label: wordsOf(value),
    })),
  },
];

function TypeName({ id }: { readonly id: string }) {
  const { data } = useRewardTypes();
  return (
    <span className="whitespace-nowrap font-medium">{data?.find((type) => type.id === id)?.name ?? '…'}</span>
  );
}

function Source({ source }: { readonly source: RewardRow['source'] }) {
  const path = recordPath(source.kind, source.id);
  const name = wordsOf(source.kind);
  if (path === undefined) return name;
  return (
    <Link
      href={path}
      prefetch={false}
      className="inline-flex min-h-6 items-center whitespace-nowrap text-accent-text underline"
    >
      {name}
    </Link>
  );
}

export const COLUMNS: readonly Column<RewardRow>[] = [
  {
    id: 'created_at',
    header: 'Granted',
    sort: 'created_at',
    from: 'md',
    cell: ({ created_at }) => <Time at={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  {
    id: 'type_id',
    header: 'Type',
    cell: ({ type_id }) => <TypeName id={type_id} />,
    below: ({ amount, currency }) => <Amount value={amount} asset={currency} />,
    csv: ({ type_id }) => type_id,
  },
  {
    id: 'amount',
    header: 'Amount',
    isNumeric: true,
    from: 'md',
    sort: 'amount',
    cell: ({ amount, currency }) => <Amount value={amount} asset={currency} />,
    csv: ({ amount }) => amount,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (reward) => (
      <span className="inline-flex items-center gap-3">
        <Status value={reward.status} />
        <ClaimButton reward={reward} />
      </span>
    ),
    csv: ({ status }) => status,
  },
  {
    id: 'reason',
    header: 'Reason',
    from: 'xl',
    cell: ({ reason }) => reason,
    csv: ({ reason }) => reason,
  },
  {
    id: 'source',
    header: 'Source',
    from: 'md',
    cell: ({ source }) => <Source source={source} />,
    csv: ({ source }) => source.id,
  },
  {
    id: 'claimable_at',
    header: 'Claimable from',
    sort: 'claimable_at',
    isOptional: true,
    cell: ({ claimable_at }) => <Time at={claimable_at} isExact />,
    csv: ({ claimable_at }) => claimable_at,
  },
  {
    id: 'expires_at',
    header: 'Expires',
    from: 'xl',
    cell: ({ expires_at, status }) =>
      status === 'CLAIMED' ? <Missing /> : expires_at === undefined ? 'Never' : <Time at={expires_at} />,
    csv: ({ expires_at }) => expires_at,
  },
  {
    id: 'claimed_at',
    header: 'Claimed',
    from: 'xl',
    cell: ({ claimed_at }) => <Time at={claimed_at} />,
    csv: ({ claimed_at }) => claimed_at,
  },
  {
    id: 'id',
    header: 'Id',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-xs">{id}</code>,
    csv: ({ id }) => id,
  },
];
