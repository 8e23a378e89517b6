'use client';
import { memo, useState } from 'react';
import { type PairBook, usePairBook, usePairBookFailure, usePickedPrice } from '../../data/pair-book';
import type { Pair } from '../../data/pairs';
import { decimalsOf } from '../../format/decimals';
import { numberFormatter } from '../../format/formatters';
import { formatAmount, formatPercent } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { classNames } from '../../ui/class-names';
import { Flash } from '../../ui/flash';
import { Skeleton } from '../../ui/skeleton';
import { EmptyState, ErrorState } from '../../ui/states';
import { useWasTrue } from '../../ui/use-was-true';
import { ladderOf, type Row, spreadOf } from './book.rules';

const LEVELS = 12;
const ROW_PX = 24;

/** The best levels of the live book. A click on a price takes it into the order ticket. */
export function OrderBook({ pair }: { readonly pair: Pair }) {
  const book = usePairBook();
  const { error, retry } = usePairBookFailure();
  if (book === undefined)
    return error === undefined ? <BookSkeleton /> : <ErrorState error={error} onRetry={retry} />;
  if (book.bids.length === 0 && book.asks.length === 0)
    return <EmptyState title="No order is in the book now." />;
  return <Ladder book={book} pair={pair} />;
}

function Ladder({ book, pair }: { readonly book: PairBook; readonly pair: Pair }) {
  const { bids, asks } = ladderOf(book, LEVELS);
  const wasLive = useWasTrue(book.isLive);
  const places = useMost(Math.max(bids.length, asks.length));
  return (
    <div>
      <table className="w-full table-fixed text-xs">
        <caption className="sr-only">{`Order book of ${pair.symbol}`}</caption>
        <thead>
          <tr className="text-muted">
            <th scope="col" className="h-7 pl-4 text-left font-medium">{`Price, ${pair.quote}`}</th>
            <th scope="col" className="px-2 text-right font-medium">{`Amount, ${pair.base}`}</th>
            <th scope="col" className="pr-4 pl-2 text-right font-medium">
              Total
            </th>
          </tr>
        </thead>
        <Side side="ask" rows={[...asks].reverse()} pair={pair} missing={places - asks.length} />
        <tbody>
          <tr>
            <td colSpan={3} className="h-9 border-y px-4">
              <SpreadLine pair={pair} />
            </td>
          </tr>
        </tbody>
        <Side side="bid" rows={bids} pair={pair} missing={places - bids.length} />
      </table>
      <p className="border-t px-4 py-2 text-muted text-xs">
        {book.isLive
          ? 'Live. Click a price to use it in the order.'
          : wasLive
            ? 'Loaded every 2 s until the live book is back.'
            : 'Click a price to use it in the order.'}
      </p>
    </div>
  );
}

/** The largest value so far, so that a level that goes does not move the others. */
function useMost(value: number): number {
  const [most, setMost] = useState(value);
  if (value > most) setMost(value);
  return Math.max(value, most);
}

interface SideProps {
  readonly side: 'bid' | 'ask';
  readonly rows: readonly Row[];
  readonly pair: Pair;
  /** Levels that the book does not have. They keep their place, so that nothing moves. */
  readonly missing: number;
}

function Side({ side, rows, pair, missing }: SideProps) {
  const gap = missing > 0 && (
    <tr aria-hidden style={{ height: missing * ROW_PX }}>
      <td colSpan={3} />
    </tr>
  );
  return (
    <tbody>
      {side === 'ask' && gap}
      {rows.map((row) => (
        <LevelRow
          key={row.price}
          side={side}
          price={row.price}
          amount={row.amount}
          total={row.total}
          share={row.share}
          priceDecimals={decimalsOf(pair.price_tick)}
          amountDecimals={decimalsOf(pair.amount_step)}
        />
      ))}
      {side === 'bid' && gap}
    </tbody>
  );
}

interface LevelRowProps extends Row {
  readonly side: 'bid' | 'ask';
  readonly priceDecimals: number;
  readonly amountDecimals: number;
}

const BAR = {
  bid: 'color-mix(in srgb, var(--jade-9) 14%, transparent)',
  ask: 'color-mix(in srgb, var(--tomato-9) 14%, transparent)',
} as const;

const LevelRow = memo(function LevelRow(props: LevelRowProps) {
  const { side, price, amount, total, share, priceDecimals, amountDecimals } = props;
  const { locale } = usePreferences();
  const { pick } = usePickedPrice();
  const fixed = (value: string, decimals: number) => fixedText(value, decimals, locale);
  const percent = `${(share * 100).toFixed(1)}%`;
  return (
    <tr
      style={{
        height: ROW_PX,
        background: `linear-gradient(to left, ${BAR[side]} ${percent}, transparent ${percent})`,
      }}
    >
      <td className="p-0">
        <button
          type="button"
          title="Use this price in the order"
          onClick={() => pick(price)}
          className={classNames(
            'h-[24px] w-full pl-4 text-left hover:bg-hover',
            side === 'bid' ? 'text-gain' : 'text-loss',
          )}
        >
          {fixed(price, priceDecimals)}
        </button>
      </td>
      <td className="px-2 text-right">
        <Flash value={amount} className="-mx-1 px-1">
          {fixed(amount, amountDecimals)}
        </Flash>
      </td>
      <td className="pr-4 pl-2 text-right text-muted">{fixed(total, amountDecimals)}</td>
    </tr>
  );
});

/** All figures of a column have the same decimals, so that the points are aligned. */
const fixedText = (value: string, decimals: number, locale: string | undefined) =>
  numberFormatter(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value as unknown as number);

function SpreadLine({ pair }: { readonly pair: Pair }) {
  const book = usePairBook();
  const { locale } = usePreferences();
  const spread = book && spreadOf(book);
  if (spread === undefined) return <span className="text-muted">One side of the book is empty.</span>;
  const decimals = decimalsOf(pair.price_tick);
  return (
    <span className="flex items-center justify-between gap-2">
      <Flash value={spread.middle} className="font-medium text-base">
        {formatAmount(spread.middle, locale, decimals + 1)}
      </Flash>
      <span className="text-muted">
        {`Spread ${formatAmount(spread.amount, locale, decimals)} (${formatPercent(spread.ratio, locale)})`}
      </span>
    </span>
  );
}

const BookSkeleton = () => (
  <div role="status" aria-label="Loading" style={{ height: LEVELS * 2 * ROW_PX + 102 }} className="p-4">
    <Skeleton className="h-full w-full" />
  </div>
);
