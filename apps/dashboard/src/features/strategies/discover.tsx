'use client';
/** The public strategies of all users, ranked by what their copiers earned. */
import { useSearchParams } from 'next/navigation';
import { api } from '../../data/api';
import { Badge } from '../../ui/badge';
import { ButtonLink } from '../../ui/button';
import type { Column, Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import type { ListReader } from '../../ui/data-table/use-list';
import type { Sorting } from '../../ui/data-table/use-table-request';
import { PageHeader } from '../../ui/page-header';
import { ProfitShareTerms } from '../../ui/profit-share';
import { EmptyState } from '../../ui/states';
import { Status } from '../../ui/status';
import { Percent } from '../../ui/values';
import { CopierReturn, CurveSpark, Drawdown, isOwn, Sample, type StrategyRow } from './figures';
import { isFull, rankOf } from './performance.rules';

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'ACTIVE', label: 'Active' },
      { value: 'ARCHIVED', label: 'Archived' },
    ],
  },
  {
    name: 'trading_type',
    label: 'Trading type',
    options: [
      { value: 'spot', label: 'Spot' },
      { value: 'margin', label: 'Margin' },
      { value: 'perpetual', label: 'Perpetual' },
    ],
  },
  {
    name: 'min_days',
    label: 'Record',
    options: [
      { value: '7', label: 'At least 7 days' },
      { value: '30', label: 'At least 30 days' },
      { value: '90', label: 'At least 90 days' },
      { value: '365', label: 'At least a year' },
    ],
  },
];
const BEST_FIRST: Sorting = { sort: 'copier_roi', order: 'desc' };
const KEY = ['strategies', 'public'];
const PUBLIC = { visibility: 'PUBLIC' };

/** The search of the list is the symbol of a pair; BTC means BTC/USDT. */
const read: ListReader<StrategyRow> = ({ search, ...query }, options) => {
  const text = typeof search === 'string' ? search.trim().toUpperCase() : '';
  const symbol = text === '' ? {} : { symbol: text.includes('/') ? text : `${text}/USDT` };
  return api().strategies.list({ ...query, ...symbol }, options);
};

const Marks = ({ row }: { readonly row: StrategyRow }) => (
  <>
    {row.status === 'ARCHIVED' && <Status value="ARCHIVED" />}
    {row.status === 'ACTIVE' && isFull(row) && (
      <span title="All places for copiers are taken.">
        <Badge tone="warn">Full</Badge>
      </span>
    )}
    {isOwn(row) && <Badge>Yours</Badge>}
  </>
);

function Name({ row, index }: { readonly row: StrategyRow; readonly index: number }) {
  const search = useSearchParams();
  const rank = rankOf(row.performance.copier_roi, {
    index,
    sort: search.get('sort'),
    order: search.get('order'),
  });
  return (
    <span className="flex min-w-0 flex-col">
      <span className="flex items-center gap-x-2 ">
        <span className="w-5 shrink-0 text-muted">{rank}</span>
        <span className="max-w-56 truncate font-medium max-md:max-w-[42vw]">{row.name}</span>
        <span className="flex gap-2 empty:hidden max-md:hidden">
          <Marks row={row} />
        </span>
      </span>
      <span className="flex max-w-[56vw] flex-wrap gap-x-2 gap-y-0.5 pl-7 text-muted text-xs md:hidden">
        <Sample results={row.performance} />
        <Marks row={row} />
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<StrategyRow>[] = [
  {
    id: 'name',
    header: 'Strategy',
    sort: 'name',
    cell: (row, index) => <Name row={row} index={index} />,
    csv: ({ name }) => name,
  },
  {
    id: 'copier_roi',
    header: "Copiers' return",
    sort: 'copier_roi',
    isNumeric: true,
    cell: ({ performance }) => <CopierReturn results={performance} />,
    csv: ({ performance }) => performance.copier_roi,
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
    from: 'md',
    cell: ({ performance }) => <Percent ratio={performance.roi} isChange />,
    csv: ({ performance }) => performance.roi,
  },
  {
    id: 'max_drawdown_percent',
    header: 'Max drawdown',
    sort: 'max_drawdown_percent',
    isNumeric: true,
    from: 'md',
    cell: ({ performance }) => <Drawdown percent={performance.max_drawdown_percent} />,
    csv: ({ performance }) => performance.max_drawdown_percent,
  },
  {
    id: 'win_rate',
    header: 'Win rate',
    isNumeric: true,
    from: 'xl',
    cell: ({ performance }) => <Percent ratio={performance.win_rate} />,
    csv: ({ performance }) => performance.win_rate,
  },
  {
    id: 'sample',
    header: 'Record',
    from: 'md',
    cell: ({ performance }) => <Sample results={performance} />,
    csv: ({ performance }) => performance.closed_count,
  },
  {
    id: 'copier_count',
    header: 'Copiers',
    sort: 'copier_count',
    isNumeric: true,
    from: 'xl',
    cell: ({ copier_count }) => copier_count,
    csv: ({ copier_count }) => copier_count,
  },
  {
    id: 'profit_share',
    header: 'Profit share',
    from: 'xl',
    cell: ({ profit_share }) => <ProfitShareTerms terms={profit_share} />,
    csv: ({ profit_share }) => profit_share?.rate,
  },
];

const hrefOf = ({ id }: StrategyRow) => `/strategies/${id}`;
const keyOf = ({ id }: StrategyRow) => id;

export function Discover() {
  return (
    <>
      <PageHeader
        title="Discover"
        description="Public strategies, ranked by what their copiers really earned. Archived strategies stay in the list."
      />
      <DataTable
        label="Public strategies"
        queryKey={KEY}
        read={read}
        query={PUBLIC}
        columns={COLUMNS}
        filters={FILTERS}
        search="Pair, such as BTC/USDT"
        sorting={BEST_FIRST}
        tallRowPx={46}
        rowKey={keyOf}
        rowHref={hrefOf}
        empty={
          <EmptyState
            title="No strategy is public yet."
            hint="A strategy is listed here once its owner makes it public. Your own are on the page Strategies."
            action={<ButtonLink href="/strategies/new">New strategy</ButtonLink>}
          />
        }
      />
    </>
  );
}
