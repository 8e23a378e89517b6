'use client';
import type { Trade } from '@trading-automation/sdk';
import { useMemo } from 'react';
import { api } from '../../data/api';
import { baseOf, quoteOf } from '../../data/symbols';
import type { Column, Filter } from '../../ui/data-table/columns';
import { DataTable } from '../../ui/data-table/data-table';
import type { ListReader } from '../../ui/data-table/use-list';
import { Side } from '../../ui/side';
import { EmptyState } from '../../ui/states';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Change, Time } from '../../ui/values';

type TradeRow = Trade<'string'>;
const read: ListReader<TradeRow> = (query, options) => api().trades.list(query, options);
const hrefOf = ({ id }: TradeRow) => `/trades/${id}`;
const keyOf = ({ id }: TradeRow) => id;
const STATUSES = ['PENDING', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'FAILED'];
const FILTERS: readonly Filter[] = [
  {
    name: 'trade_status',
    label: 'Status',
    options: STATUSES.map((value) => ({ value, label: wordsOf(value) })),
  },
];

const COLUMNS: readonly Column<TradeRow>[] = [
  {
    id: 'created_at',
    header: 'Time',
    sort: 'created_at',
    cell: ({ created_at }) => <Time at={created_at} isExact />,
    below: ({ symbol, side }) => (
      <span className="inline-flex gap-2">
        {symbol} <Side side={side} />
      </span>
    ),
    csv: ({ created_at }) => created_at,
  },
  { id: 'symbol', header: 'Pair', from: 'md', cell: ({ symbol }) => symbol, csv: ({ symbol }) => symbol },
  {
    id: 'side',
    header: 'Side',
    from: 'md',
    cell: ({ side }) => <Side side={side} />,
    csv: ({ side }) => side,
  },
  {
    id: 'filled_amount',
    header: 'Filled',
    isNumeric: true,
    cell: ({ filled_amount, symbol }) => <Amount value={filled_amount} asset={baseOf(symbol)} />,
    csv: ({ filled_amount }) => filled_amount,
  },
  {
    id: 'average_price',
    header: 'Average price',
    isNumeric: true,
    from: 'md',
    cell: ({ average_price, symbol }) => <Amount value={average_price} asset={quoteOf(symbol)} />,
    csv: ({ average_price }) => average_price,
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
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Status value={status} />,
    csv: ({ status }) => status,
  },
];

/** The trades of a strategy. Only its owner sees them. */
export function StrategyTrades({ strategyId }: { readonly strategyId: string }) {
  const key = useMemo(() => ['trades', 'of-strategy', strategyId], [strategyId]);
  const readTrades = useMemo<ListReader<TradeRow>>(
    () =>
      ({ trade_status: status, ...query }, options) =>
        read({ ...query, strategy_id: strategyId, ...(status === undefined ? {} : { status }) }, options),
    [strategyId],
  );
  return (
    <DataTable
      label="Trades"
      queryKey={key}
      read={readTrades}
      columns={COLUMNS}
      filters={FILTERS}
      rowKey={keyOf}
      rowHref={hrefOf}
      empty={
        <EmptyState
          title="No trade has been placed with this strategy yet."
          hint="Choose the strategy when you place an order, or send its id with the API. Its copiers repeat the trade."
        />
      }
    />
  );
}
