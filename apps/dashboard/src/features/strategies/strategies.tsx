'use client';
import { Plus } from 'lucide-react';
import { api } from '../../data/api';
import { accountsQuery, byId, useAccounts } from '../../data/names';
/** The strategies of the user. */
import { useEarlyData } from '../../data/server-data';
import { Badge } from '../../ui/badge';
import { ButtonLink } from '../../ui/button';
import type { Column, Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import type { ListReader } from '../../ui/data-table/use-list';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Change, Percent, Time } from '../../ui/values';
import { CurveSpark, Drawdown, Sample, type StrategyRow } from './figures';

const KEY = ['strategies', 'own'];
const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'ACTIVE', label: 'Active' },
      { value: 'ARCHIVED', label: 'Archived' },
    ],
  },
];
const read: ListReader<StrategyRow> = (query, options) => api().strategies.list(query, options);

function AccountName({ id }: { readonly id: string | undefined }) {
  const { data } = useAccounts();
  return <span className="truncate">{byId(data, id)?.account_name ?? '…'}</span>;
}

const COLUMNS: readonly Column<StrategyRow>[] = [
  {
    id: 'name',
    header: 'Strategy',
    sort: 'name',
    cell: ({ name }) => <span className="block max-w-64 truncate font-medium">{name}</span>,
    below: ({ status, visibility }) => `${wordsOf(status)}, ${wordsOf(visibility).toLowerCase()}`,
    csv: ({ name }) => name,
  },
  {
    id: 'status',
    header: 'Status',
    from: 'md',
    cell: ({ status }) => <Status value={status} />,
    csv: ({ status }) => status,
  },
  {
    id: 'visibility',
    header: 'Visibility',
    from: 'md',
    cell: ({ visibility }) => <Badge>{wordsOf(visibility)}</Badge>,
    csv: ({ visibility }) => visibility,
  },
  {
    id: 'curve',
    header: 'Curve',
    from: 'md',
    cell: ({ performance, name }) => <CurveSpark results={performance} name={name} />,
    csv: ({ performance }) => performance.curve.at(-1)?.index,
  },
  {
    id: 'roi',
    header: 'Return',
    sort: 'roi',
    isNumeric: true,
    cell: ({ performance }) => <Percent ratio={performance.roi} isChange />,
    csv: ({ performance }) => performance.roi,
  },
  {
    id: 'net_pnl',
    header: 'Realised result',
    isNumeric: true,
    from: 'md',
    cell: ({ performance }) => <Change value={performance.net_pnl} />,
    csv: ({ performance }) => performance.net_pnl,
  },
  {
    id: 'max_drawdown_percent',
    header: 'Max drawdown',
    sort: 'max_drawdown_percent',
    isNumeric: true,
    from: 'xl',
    cell: ({ performance }) => <Drawdown percent={performance.max_drawdown_percent} />,
    csv: ({ performance }) => performance.max_drawdown_percent,
  },
  {
    id: 'sample',
    header: 'Record',
    from: 'xl',
    cell: ({ performance }) => <Sample results={performance} />,
    csv: ({ performance }) => performance.closed_count,
  },
  {
    id: 'copier_count',
    header: 'Copiers',
    sort: 'copier_count',
    isNumeric: true,
    from: 'md',
    cell: ({ copier_count }) => copier_count,
    csv: ({ copier_count }) => copier_count,
  },
  {
    id: 'account',
    header: 'Account',
    from: 'xl',
    cell: ({ exchange_account_id }) => <AccountName id={exchange_account_id} />,
    csv: ({ exchange_account_id }) => exchange_account_id,
  },
  {
    id: 'created_at',
    header: 'Created',
    sort: 'created_at',
    isOptional: true,
    cell: ({ created_at }) => <Time at={created_at} />,
    csv: ({ created_at }) => created_at,
  },
];

const CreateStrategy = () => (
  <ButtonLink href="/strategies/new" variant="primary">
    <Plus aria-hidden className="size-4" />
    New strategy
  </ButtonLink>
);

const hrefOf = ({ id }: StrategyRow) => `/strategies/${id}`;
const keyOf = ({ id }: StrategyRow) => id;

export function Strategies() {
  useEarlyData([accountsQuery]);
  return (
    <>
      <PageHeader title="Strategies" actions={<CreateStrategy />} />
      <DataTable
        label="Strategies"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={FILTERS}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="You have no strategy yet."
            hint="A strategy groups trades of one account, so that copiers can repeat them and its returns are published."
            action={<CreateStrategy />}
          />
        }
      />
    </>
  );
}
