import { useExchangeNames } from '../../data/exchange-names';
import type { Pair } from '../../data/pairs';
import { decimalsOf } from '../../format/decimals';
import type { Column } from '../../ui/data-table/columns';
import { wordsOf } from '../../ui/status';
import { Amount, Percent } from '../../ui/values';
import { ratioOf, useTicker } from './ticker-row';

/** The prices of all rows on screen share the rate limit of the session. */
const RELOAD_MS = 30_000;

const ExchangeName = ({ id }: { readonly id: string }) => useExchangeNames()(id);

function LastPrice({ pair }: { readonly pair: Pair }) {
  const { data } = useTicker(pair, RELOAD_MS);
  return <Amount value={data?.last} asset={pair.quote} digits={decimalsOf(pair.price_tick)} />;
}

function DayChange({ pair }: { readonly pair: Pair }) {
  const { data } = useTicker(pair, RELOAD_MS);
  return <Percent ratio={data && ratioOf(data.change_percent)} isChange />;
}

export const COLUMNS: readonly Column<Pair>[] = [
  {
    id: 'symbol',
    header: 'Pair',
    sort: 'symbol',
    cell: ({ symbol, is_active }) => (
      <span className="font-medium">
        {symbol}
        {!is_active && <span className="font-normal text-muted">, not traded now</span>}
      </span>
    ),
    // Several exchanges and types of market have the same symbols.
    below: ({ exchange, trading_type }) => (
      <>
        <ExchangeName id={exchange} />, {trading_type}
      </>
    ),
    csv: ({ symbol }) => symbol,
  },
  {
    id: 'exchange',
    header: 'Exchange',
    sort: 'exchange',
    from: 'md',
    cell: ({ exchange }) => <ExchangeName id={exchange} />,
    csv: ({ exchange }) => exchange,
  },
  {
    id: 'trading_type',
    header: 'Type',
    from: 'xl',
    cell: ({ trading_type }) => wordsOf(trading_type),
    csv: ({ trading_type }) => trading_type,
  },
  {
    id: 'last',
    header: 'Last price',
    isNumeric: true,
    cell: (pair) => <LastPrice pair={pair} />,
    csv: () => undefined,
    isScreenOnly: true,
  },
  {
    id: 'change',
    header: '24 h',
    isNumeric: true,
    cell: (pair) => <DayChange pair={pair} />,
    csv: () => undefined,
    isScreenOnly: true,
  },
  {
    id: 'price_tick',
    header: 'Price step',
    isNumeric: true,
    from: 'md',
    cell: ({ price_tick, quote }) => <Amount value={price_tick} asset={quote} />,
    csv: ({ price_tick }) => price_tick,
  },
  {
    id: 'amount_step',
    header: 'Amount step',
    isNumeric: true,
    from: 'md',
    cell: ({ amount_step, base }) => <Amount value={amount_step} asset={base} />,
    csv: ({ amount_step }) => amount_step,
  },
  {
    id: 'min_amount',
    header: 'Smallest amount',
    isNumeric: true,
    isOptional: true,
    cell: ({ min_amount, base }) => <Amount value={min_amount} asset={base} />,
    csv: ({ min_amount }) => min_amount,
  },
  {
    id: 'min_notional',
    header: 'Smallest value',
    isNumeric: true,
    from: 'xl',
    cell: ({ min_notional, quote }) => <Amount value={min_notional} asset={quote} />,
    csv: ({ min_notional }) => min_notional,
  },
  {
    id: 'maker_fee',
    header: 'Maker fee',
    isNumeric: true,
    from: 'xl',
    cell: ({ maker_fee }) => <Percent ratio={maker_fee} />,
    csv: ({ maker_fee }) => maker_fee,
  },
  {
    id: 'taker_fee',
    header: 'Taker fee',
    isNumeric: true,
    from: 'xl',
    cell: ({ taker_fee }) => <Percent ratio={taker_fee} />,
    csv: ({ taker_fee }) => taker_fee,
  },
];
