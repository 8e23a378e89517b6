import type { Withdrawal } from '@trading-automation/sdk';
import type { Column, Filter } from '../../ui/data-table/columns';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Time } from '../../ui/values';
import { ShortAddress } from './parts';

export type WithdrawalRow = Withdrawal<'string'>;

export const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['PENDING', 'PROCESSING', 'COMPLETED', 'CANCELLED', 'FAILED'].map((value) => ({
      value,
      label: wordsOf(value),
    })),
  },
];

export const COLUMNS: readonly Column<WithdrawalRow>[] = [
  {
    id: 'created_at',
    header: 'Requested',
    sort: 'created_at',
    cell: ({ requested_at }) => <Time at={requested_at} />,
    below: ({ status }) => <Status value={status} />,
    csv: ({ requested_at }) => requested_at,
  },
  {
    id: 'amount',
    header: 'Amount',
    isNumeric: true,
    sort: 'amount',
    cell: ({ amount, currency }) => <Amount value={amount} asset={currency} />,
    csv: ({ amount }) => amount,
  },
  {
    id: 'fee',
    header: 'Fee',
    isNumeric: true,
    from: 'md',
    cell: ({ fee, currency }) => <Amount value={fee} asset={currency} />,
    csv: ({ fee }) => fee,
  },
  {
    id: 'net_amount',
    header: 'Net amount',
    isNumeric: true,
    from: 'md',
    cell: ({ net_amount, currency }) => <Amount value={net_amount} asset={currency} />,
    csv: ({ net_amount }) => net_amount,
  },
  {
    id: 'status',
    header: 'Status',
    from: 'md',
    cell: ({ status }) => <Status value={status} />,
    csv: ({ status }) => status,
  },
  {
    id: 'wallet_address',
    header: 'To',
    from: 'md',
    cell: ({ wallet_address }) => <ShortAddress address={wallet_address} />,
    csv: ({ wallet_address }) => wallet_address,
  },
  {
    id: 'network',
    header: 'Network',
    from: 'xl',
    cell: ({ network }) => wordsOf(network),
    csv: ({ network }) => network,
  },
  {
    id: 'updated_at',
    header: 'Changed',
    sort: 'updated_at',
    from: 'xl',
    cell: ({ updated_at }) => <Time at={updated_at} />,
    csv: ({ updated_at }) => updated_at,
  },
  {
    id: 'id',
    header: 'Id',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-xs">{id}</code>,
    csv: ({ id }) => id,
  },
];
