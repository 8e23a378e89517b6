import { byId, useAccounts } from '../../data/names';
import type { LotRow } from '../../data/open-lots';
import { baseOf, quoteOf } from '../../format/money';
import { Button } from '../../ui/button';
import type { Column } from '../../ui/data-table/columns';
import { Side } from '../../ui/side';
import { Amount, Change, Percent, Time } from '../../ui/values';
import { lastPriceOf, openRatioOf } from './lot-price.rules';

export type LotView = 'open' | 'closed';

export function AccountName({ id }: { readonly id: string }) {
  const { data } = useAccounts();
  return <span className="truncate">{byId(data, id)?.account_name ?? '…'}</span>;
}

const sourceOf = ({ copier_id, strategy_id }: LotRow) =>
  copier_id !== undefined ? 'Copy' : strategy_id !== undefined ? 'Strategy' : 'Order';

const COMMON: readonly Column<LotRow>[] = [
  {
    id: 'symbol',
    header: 'Pair',
    cell: ({ symbol }) => <span className="font-medium">{symbol}</span>,
    csv: ({ symbol }) => symbol,
  },
  {
    id: 'opened_at',
    header: 'Opened',
    sort: 'created_at',
    from: 'md',
    cell: ({ opened_at }) => <Time at={opened_at} isExact />,
    csv: ({ opened_at }) => opened_at,
  },
  {
    id: 'side',
    header: 'Side',
    from: 'md',
    cell: ({ side }) => <Side side={side} isLot />,
    csv: ({ side }) => side,
  },
];

const LAST: readonly Column<LotRow>[] = [
  {
    id: 'fees',
    header: 'Fees',
    isNumeric: true,
    from: 'xl',
    cell: ({ fees, symbol }) => <Amount value={fees} asset={quoteOf(symbol)} digits={2} />,
    csv: ({ fees }) => fees,
  },
  {
    id: 'exchange_account_id',
    header: 'Account',
    from: 'xl',
    cell: ({ exchange_account_id }) => <AccountName id={exchange_account_id} />,
    csv: ({ exchange_account_id }) => exchange_account_id,
  },
  { id: 'source', header: 'Source', from: 'xl', cell: sourceOf, csv: sourceOf },
  {
    id: 'id',
    header: 'Id',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-xs">{id}</code>,
    csv: ({ id }) => id,
  },
];

/** Of open lots: hidden until the reader chooses them. */
const LESS_SHOWN = new Set(['fees', 'source']);

const entry: Column<LotRow> = {
  id: 'entry_price',
  header: 'Entry price',
  isNumeric: true,
  from: 'md',
  cell: ({ entry_price, symbol }) => <Amount value={entry_price} asset={quoteOf(symbol)} />,
  csv: ({ entry_price }) => entry_price,
};

const amount = (header: string, of: 'amount' | 'remaining_amount'): Column<LotRow> => ({
  id: of,
  header,
  isNumeric: true,
  cell: (lot) => <Amount value={lot[of]} asset={baseOf(lot.symbol)} />,
  csv: (lot) => lot[of],
});

const realized: Column<LotRow> = {
  id: 'realized_pnl',
  header: 'Realised result',
  isNumeric: true,
  cell: ({ realized_pnl, symbol }) => <Change value={realized_pnl} asset={quoteOf(symbol)} />,
  csv: ({ realized_pnl }) => realized_pnl,
};

const CLOSED: readonly Column<LotRow>[] = [
  ...COMMON,
  amount('Amount', 'amount'),
  entry,
  realized,
  {
    id: 'closed_at',
    header: 'Closed',
    from: 'md',
    cell: ({ closed_at }) => <Time at={closed_at} isExact />,
    csv: ({ closed_at }) => closed_at,
  },
  ...LAST,
];

/** The columns of open or closed lots. `onClose` opens the dialog that closes a lot. */
export function columnsOf(
  view: LotView,
  onClose: ((lot: LotRow) => void) | undefined,
): readonly Column<LotRow>[] {
  if (view === 'closed') return CLOSED;
  return [
    ...COMMON,
    amount('Open amount', 'remaining_amount'),
    entry,
    {
      id: 'last_price',
      header: 'Last price',
      isNumeric: true,
      from: 'md',
      cell: (lot) => <Amount value={lastPriceOf(lot)} asset={quoteOf(lot.symbol)} />,
      csv: lastPriceOf,
    },
    {
      id: 'remaining_cost',
      header: 'Cost',
      isNumeric: true,
      from: 'md',
      cell: ({ remaining_cost, symbol }) => (
        <Amount value={remaining_cost} asset={quoteOf(symbol)} digits={2} />
      ),
      csv: ({ remaining_cost }) => remaining_cost,
    },
    {
      id: 'unrealized_pnl',
      header: 'Open result',
      isNumeric: true,
      cell: ({ unrealized_pnl, symbol }) => <Change value={unrealized_pnl} asset={quoteOf(symbol)} />,
      csv: ({ unrealized_pnl }) => unrealized_pnl,
    },
    {
      id: 'open_ratio',
      header: 'Of cost',
      isNumeric: true,
      from: 'md',
      cell: (lot) => <Percent ratio={openRatioOf(lot)} isChange />,
      csv: openRatioOf,
    },
    { ...realized, isOptional: true },
    // There is room for one of costs and fees.
    ...LAST.map((column) => (LESS_SHOWN.has(column.id) ? { ...column, isOptional: true } : column)),
    ...(onClose === undefined ? [] : [closeColumn(onClose)]),
  ];
}

const closeColumn = (onClose: (lot: LotRow) => void): Column<LotRow> => ({
  id: 'actions',
  header: 'Actions',
  isNumeric: true,
  isScreenOnly: true,
  from: 'md',
  cell: (lot) => (
    <Button
      className="h-7"
      aria-label={`Close ${lot.symbol} lot of ${lot.remaining_amount} ${baseOf(lot.symbol)}`}
      onClick={() => onClose(lot)}
    >
      Close
    </Button>
  ),
  csv: () => undefined,
});
