'use client';
import { usePairBook } from '../../data/pair-book';
import type { Pair } from '../../data/pairs';
import { useIsHydrated } from '../../data/use-is-hydrated';
import { decimalsOf } from '../../format/decimals';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { ChartFrame } from '../../ui/charts/chart-frame';
import { Skeleton } from '../../ui/skeleton';
import { depthOf, ladderOf } from './book.rules';

const HEIGHT = 160;
const LEVELS = 25;
/** The drawing follows the book more slowly than the figures, so that it does not flicker. */
const EVERY_MS = 500;

/** The amounts that can be bought and sold, up to each price. */
export function DepthChart({ pair }: { readonly pair: Pair }) {
  const book = usePairBook(EVERY_MS);
  const { locale } = usePreferences();
  // It is below the first look, and costs the server as much as the book.
  const isHydrated = useIsHydrated();
  if (book === undefined || !isHydrated)
    return (
      <div style={{ height: HEIGHT + 36 }} className="px-4 pb-4">
        <Skeleton className="h-full w-full" />
      </div>
    );
  const ladder = ladderOf(book, LEVELS);
  const depth = depthOf(ladder);
  if (depth === undefined)
    return <p className="px-4 pb-4 text-muted text-sm">The depth needs orders on both sides.</p>;
  const price = (value: string) => formatAmount(value, locale, decimalsOf(pair.price_tick));
  const rows = [
    ...ladder.bids.map((row) => ({ side: 'Bid', ...row })).reverse(),
    ...ladder.asks.map((row) => ({ side: 'Ask', ...row })),
  ];
  return (
    <ChartFrame
      description={`Depth of the order book of ${pair.symbol}: total amount by price`}
      height={HEIGHT}
      hasAttribution={false}
      table={{
        columns: [`Price (${pair.quote})`, 'Side', `Total (${pair.base})`],
        rows: rows.map((row) => [price(row.price), row.side, formatAmount(row.total, locale)]),
      }}
    >
      <div aria-hidden className="px-4" style={{ height: HEIGHT }}>
        <p className="text-2xs text-muted">{`${formatAmount(depth.largest, locale)}\u2009${pair.base}`}</p>
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          aria-hidden="true"
          className="w-full border-b"
          style={{ height: HEIGHT - 36 }}
        >
          <Area path={depth.bids} colour="var(--jade-9)" />
          <Area path={depth.asks} colour="var(--tomato-9)" />
        </svg>
        <p className="flex justify-between pt-1 text-2xs text-muted">
          <span>{price(depth.from)}</span>
          <span>{`Bids and asks, ${pair.quote}`}</span>
          <span>{price(depth.to)}</span>
        </p>
      </div>
    </ChartFrame>
  );
}

const Area = ({ path, colour }: { readonly path: string; readonly colour: string }) => (
  <path
    d={path}
    fill={colour}
    fillOpacity={0.08}
    stroke={colour}
    strokeWidth={1.5}
    vectorEffect="non-scaling-stroke"
  />
);
