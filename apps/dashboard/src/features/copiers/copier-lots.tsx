'use client';
import type { Lot } from '@trading-automation/sdk';
import Link from 'next/link';
import { useMemo } from 'react';
import { api } from '../../data/api';
import { baseOf, quoteOf } from '../../data/symbols';
import { Badge } from '../../ui/badge';
import type { Column, Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import type { ListReader } from '../../ui/data-table/use-list';
import { Side } from '../../ui/side';
import { EmptyState } from '../../ui/states';
import { Status } from '../../ui/status';
import { Amount, Change, Time } from '../../ui/values';

type LotRow = Lot<'string'>;
const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'OPEN', label: 'Open' },
      { value: 'CLOSED', label: 'Closed' },
    ],
  },
];
const keyOf = ({ id }: LotRow) => id;

const COLUMNS: readonly Column<LotRow>[] = [
  {
    id: 'opened_at',
    header: 'Opened',
    sort: 'created_at',
    cell: ({ opened_at }) => <Time at={opened_at} isExact />,
    csv: ({ opened_at }) => opened_at,
  },
  { id: 'symbol', header: 'Pair', cell: ({ symbol }) => symbol, csv: ({ symbol }) => symbol },
  {
    id: 'side',
    header: 'Side',
    from: 'md',
    cell: ({ side }) => <Side side={side} isLot />,
    csv: ({ side }) => side,
  },
  {
    id: 'remaining_amount',
    header: 'Open amount',
    isNumeric: true,
    cell: ({ remaining_amount, symbol }) => <Amount value={remaining_amount} asset={baseOf(symbol)} />,
    csv: ({ remaining_amount }) => remaining_amount,
  },
  {
    id: 'entry_price',
    header: 'Entry price',
    isNumeric: true,
    from: 'md',
    cell: ({ entry_price, symbol }) => <Amount value={entry_price} asset={quoteOf(symbol)} />,
    csv: ({ entry_price }) => entry_price,
  },
  {
    id: 'realized_pnl',
    header: 'Realised result',
    isNumeric: true,
    from: 'md',
    cell: ({ realized_pnl, symbol }) => <Change value={realized_pnl} asset={quoteOf(symbol)} />,
    csv: ({ realized_pnl }) => realized_pnl,
  },
  {
    id: 'unrealized_pnl',
    header: 'Open result',
    isNumeric: true,
    cell: ({ unrealized_pnl, symbol }) => <Change value={unrealized_pnl} asset={quoteOf(symbol)} />,
    csv: ({ unrealized_pnl }) => unrealized_pnl,
  },
  {
    id: 'status',
    header: 'Status',
    from: 'md',
    cell: ({ status, is_detached }) => (
      <span className="inline-flex items-center gap-1.5">
        <Status value={status} />
        {is_detached && (
          <span title="Something other than its copier reduced this copy.">
            <Badge tone="warn">Detached</Badge>
          </span>
        )}
      </span>
    ),
    csv: ({ status }) => status,
  },
  {
    id: 'trade_id',
    header: 'Trade',
    from: 'md',
    cell: ({ trade_id }) => (
      <Link href={`/trades/${trade_id}`} className="text-accent-text hover:underline">
        Show trade
      </Link>
    ),
    csv: ({ trade_id }) => trade_id,
  },
];

/** What the copies of a copier opened, and what is left of it. */
export function CopierLots({ copierId }: { readonly copierId: string }) {
  const key = useMemo(() => ['lots', 'of-copier', copierId], [copierId]);
  const read = useMemo<ListReader<LotRow>>(
    () => (query, options) => api().lots.list({ ...query, copier_id: copierId }, options),
    [copierId],
  );
  return (
    <DataTable
      label="Lots"
      queryKey={key}
      read={read}
      columns={COLUMNS}
      filters={FILTERS}
      rowKey={keyOf}
      empty={
        <EmptyState
          title="The copier has bought nothing yet."
          hint="Each fill of a copy opens a lot, which is listed here with its result."
        />
      }
    />
  );
}
