'use client';
import { Plus } from 'lucide-react';
import { api } from '../../data/api';
import { accountsQuery, byId } from '../../data/names';
/** The copiers of the user. */
import { LATE, useQuery } from '../../data/query';
import { formatDuration } from '../../format/times';
import { ButtonLink } from '../../ui/button';
import type { Column, Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import type { ListReader } from '../../ui/data-table/use-list';
import { EmergencyStop } from '../../ui/emergency-stop/emergency-stop';
import { StopNotice } from '../../ui/emergency-stop/stop-notice';
import { PageHeader } from '../../ui/page-header';
import { EmptyState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Change, Missing, Percent, Time } from '../../ui/values';
import { Bps } from './bps';
import { StrategyName } from './strategy-name';
import type { CopierRow } from './use-copier';

const KEY = ['copiers', 'list'];
const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'ACTIVE', label: 'Active' },
      { value: 'CLOSE_ONLY', label: 'Close only' },
      { value: 'PAUSED', label: 'Paused' },
    ],
  },
];
const read: ListReader<CopierRow> = (query, options) => api().copiers.list(query, options);
const hrefOf = ({ id }: CopierRow) => `/copiers/${id}`;
const keyOf = ({ id }: CopierRow) => id;

function AccountName({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...accountsQuery, meta: LATE });
  return <span className="truncate">{byId(data, id)?.account_name ?? '…'}</span>;
}

const COLUMNS: readonly Column<CopierRow>[] = [
  {
    id: 'name',
    header: 'Copier',
    sort: 'name',
    cell: ({ name }) => <span className="block max-w-56 truncate font-medium">{name}</span>,
    below: ({ status }) => wordsOf(status),
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
    id: 'strategy',
    header: 'Strategy',
    from: 'md',
    cell: ({ strategy_id }) => <StrategyName id={strategy_id} />,
    csv: ({ strategy_id }) => strategy_id,
  },
  {
    id: 'account',
    header: 'Account',
    from: 'xl',
    cell: ({ exchange_account_id }) => <AccountName id={exchange_account_id} />,
    csv: ({ exchange_account_id }) => exchange_account_id,
  },
  {
    id: 'net_pnl',
    header: 'Realised result',
    isNumeric: true,
    cell: ({ stats }) => <Change value={stats.net_pnl} />,
    csv: ({ stats }) => stats.net_pnl,
  },
  {
    id: 'roi',
    header: 'Account return',
    isNumeric: true,
    from: 'md',
    cell: ({ stats }) => <Percent ratio={stats.roi} isChange />,
    csv: ({ stats }) => stats.roi,
  },
  {
    id: 'open_exposure',
    header: 'Exposure',
    isNumeric: true,
    from: 'md',
    cell: ({ stats }) => <Amount value={stats.open_exposure_quote} digits={2} />,
    csv: ({ stats }) => stats.open_exposure_quote,
  },
  {
    id: 'tracking',
    header: 'Tracking',
    isNumeric: true,
    from: 'xl',
    cell: ({ stats }) => <Bps value={stats.tracking_difference_bps} isChange />,
    csv: ({ stats }) => stats.tracking_difference_bps,
  },
  {
    id: 'latency',
    header: 'Lag',
    isNumeric: true,
    from: 'xl',
    cell: ({ stats: { median_latency_ms: ms } }) =>
      ms === null ? <Missing /> : <span className="whitespace-nowrap">{formatDuration(ms)}</span>,
    csv: ({ stats }) => stats.median_latency_ms,
  },
  {
    id: 'signals',
    header: 'Copied',
    isNumeric: true,
    from: 'xl',
    cell: ({ stats: { copied, skipped, failed } }) => `${copied} of ${copied + skipped + failed}`,
    csv: ({ stats: { copied } }) => copied,
  },
  {
    id: 'skipped',
    header: 'Skipped',
    isNumeric: true,
    isOptional: true,
    cell: ({ stats }) => stats.skipped,
    csv: ({ stats }) => stats.skipped,
  },
  {
    id: 'failed',
    header: 'Failed',
    isNumeric: true,
    isOptional: true,
    cell: ({ stats }) => stats.failed,
    csv: ({ stats }) => stats.failed,
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

const NewCopier = () => (
  <ButtonLink href="/copiers/new" variant="primary">
    <Plus aria-hidden className="size-4" />
    New copier
  </ButtonLink>
);

export function Copiers() {
  return (
    <>
      <PageHeader
        title="Copiers"
        actions={
          <>
            <EmergencyStop />
            <NewCopier />
          </>
        }
      />
      <DataTable
        label="Copiers"
        queryKey={KEY}
        read={read}
        columns={COLUMNS}
        filters={FILTERS}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="You copy no strategy yet."
            hint="A copier repeats the trades of a strategy on one of your accounts, within your limits. Simulate it before you start it."
            action={
              <ButtonLink href="/discover" variant="primary">
                Find a strategy
              </ButtonLink>
            }
          />
        }
      />
      <StopNotice />
    </>
  );
}
