import type { Trade } from '@trading-automation/sdk';
import { byId, useAccounts, useStrategies } from '../../data/names';
import { quoteOf } from '../../format/money';
import { Badge } from '../../ui/badge';
import type { Column } from '../../ui/data-table/columns';
import { Side } from '../../ui/side';
import { Status, wordsOf } from '../../ui/status';
import { Amount, Missing, Time } from '../../ui/values';
import { filledShare } from './filled-share';
import { listedPriceOf } from './order-price.rules';

export type TradeRow = Trade<'string'>;

/** How the exchange itself changed a position. No order of the user caused such a trade. */
const FORCED: Readonly<Record<string, string>> = {
  LIQUIDATION: 'Liquidation',
  ADL: 'Auto-deleveraging',
  SETTLEMENT: 'Settlement',
};

export const isForced = ({ origin }: Pick<TradeRow, 'origin'>) => origin in FORCED;

/** Who sent the order. */
export const originOf = ({ origin }: Pick<TradeRow, 'origin'>) =>
  origin === 'API' ? 'API or dashboard' : (FORCED[origin] ?? wordsOf(origin));

/** The type of the order; for a trade that the exchange forced, why it happened. */
function TypeOf({ trade }: { readonly trade: TradeRow }) {
  if (isForced(trade)) return <Badge tone="warn">{originOf(trade)}</Badge>;
  return <span className="whitespace-nowrap">{wordsOf(trade.type)}</span>;
}

function PriceOf({ trade }: { readonly trade: TradeRow }) {
  const { value, isStop } = listedPriceOf(trade);
  return (
    <>
      {isStop && <span className="text-muted text-xs">stop </span>}
      <Amount value={value} asset={quoteOf(trade.symbol)} />
    </>
  );
}

/** As wide before a name has loaded, so that the columns keep their places. */
const NAME = 'block w-32 truncate';

function AccountName({ id }: { readonly id: string }) {
  const { data } = useAccounts();
  return <span className={NAME}>{byId(data, id)?.account_name ?? '…'}</span>;
}

function StrategyName({ id }: { readonly id: string | undefined }) {
  const { data } = useStrategies();
  // A strategy of another user is not in the list.
  const name = id === undefined ? <Missing /> : (byId(data, id)?.name ?? 'Copied strategy');
  return <span className={NAME}>{name}</span>;
}

export const COLUMNS: readonly Column<TradeRow>[] = [
  {
    id: 'symbol',
    header: 'Pair',
    cell: ({ symbol }) => <span className="font-medium">{symbol}</span>,
    below: (trade) => (
      <span className="inline-flex flex-wrap gap-x-2">
        <Side side={trade.side} />
        <Time at={trade.created_at} isExact />
        {isForced(trade) && <span>{originOf(trade)}</span>}
      </span>
    ),
    csv: ({ symbol }) => symbol,
  },
  {
    id: 'created_at',
    header: 'Time',
    sort: 'created_at',
    from: 'md',
    cell: ({ created_at }) => <Time at={created_at} isExact />,
    csv: ({ created_at }) => created_at,
  },
  {
    id: 'side',
    header: 'Side',
    from: 'md',
    cell: ({ side }) => <Side side={side} />,
    csv: ({ side }) => side,
  },
  {
    id: 'type',
    header: 'Type',
    from: 'xl',
    cell: (trade) => <TypeOf trade={trade} />,
    csv: ({ type }) => type,
  },
  {
    id: 'price',
    header: 'Price',
    isNumeric: true,
    from: 'md',
    cell: (trade) => <PriceOf trade={trade} />,
    csv: ({ average_price, price }) => average_price ?? price,
  },
  {
    id: 'stop_price',
    header: 'Stop price',
    isNumeric: true,
    isOptional: true,
    cell: ({ stop_price, symbol }) => <Amount value={stop_price} asset={quoteOf(symbol)} />,
    csv: ({ stop_price }) => stop_price,
  },
  {
    id: 'amount',
    header: 'Amount',
    isNumeric: true,
    cell: ({ amount, symbol }) => <Amount value={amount} asset={symbol.split('/')[0]} />,
    below: ({ status }) => <Status value={status} />,
    csv: ({ amount }) => amount,
  },
  {
    id: 'filled',
    header: 'Filled',
    isNumeric: true,
    from: 'md',
    cell: ({ filled_amount, amount }) => `${filledShare(filled_amount, amount)}\u2009%`,
    csv: ({ filled_amount }) => filled_amount,
  },
  {
    id: 'status',
    header: 'Status',
    from: 'md',
    cell: ({ status }) => <Status value={status} />,
    csv: ({ status }) => status,
  },
  {
    id: 'strategy_id',
    header: 'Strategy',
    from: 'xl',
    cell: ({ strategy_id }) => <StrategyName id={strategy_id} />,
    csv: ({ strategy_id }) => strategy_id,
  },
  {
    id: 'exchange_account_id',
    header: 'Account',
    from: 'xl',
    cell: ({ exchange_account_id }) => <AccountName id={exchange_account_id} />,
    csv: ({ exchange_account_id }) => exchange_account_id,
  },
  {
    id: 'origin',
    header: 'Origin',
    isOptional: true,
    cell: originOf,
    csv: ({ origin }) => origin,
  },
  {
    id: 'cost',
    header: 'Cost',
    isNumeric: true,
    isOptional: true,
    cell: ({ cost, symbol }) => <Amount value={cost} asset={quoteOf(symbol)} />,
    csv: ({ cost }) => cost,
  },
  {
    id: 'fee',
    header: 'Fee',
    isNumeric: true,
    isOptional: true,
    cell: ({ fee }) => <Amount value={fee.amount} asset={fee.currency} />,
    csv: ({ fee }) => fee.amount,
  },
  {
    id: 'fee_currency',
    header: 'Currency of the fee',
    isOptional: true,
    cell: ({ fee }) => fee.currency ?? <Missing />,
    csv: ({ fee }) => fee.currency,
  },
  {
    id: 'id',
    header: 'Id',
    isOptional: true,
    cell: ({ id }) => <code className="font-mono text-xs">{id}</code>,
    csv: ({ id }) => id,
  },
];
