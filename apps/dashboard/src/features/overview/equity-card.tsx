'use client';
import { useState } from 'react';
import { analyticsQuery, type Figures, useAnalytics } from '../../data/analytics';
import { RANGE_OPTIONS, RANGE_WORDS, type Range, startOfRange } from '../../format/ranges';
import { classNames } from '../../ui/class-names';
import { onDemand } from '../../ui/on-demand';
import { Segmented } from '../../ui/segmented';
import { Skeleton } from '../../ui/skeleton';
import { Amount, Change, Percent } from '../../ui/values';

const ChartSkeleton = () => <Skeleton className="mx-4 mb-3 h-68" />;
const EquityCurve = onDemand(
  () => import('./equity-curve').then((module) => module.EquityCurve),
  <ChartSkeleton />,
);

const FIRST_RANGE = '30d';

const queryOf = (range: Range) => {
  const from = startOfRange(range, Date.now());
  return from === undefined ? {} : { from };
};

/** What the card shows at first. */
export const firstEquityQuery = () => analyticsQuery(queryOf(FIRST_RANGE));

/** The equity over a range, with its last value and its change. */
export function EquityCard({ className }: { readonly className?: string }) {
  const [range, setRange] = useState<Range>(FIRST_RANGE);
  const figures = useAnalytics(queryOf(range));
  const { data } = figures;
  return (
    <section
      aria-labelledby="equity-title"
      className={classNames('min-w-0 rounded-card border bg-surface', className)}
    >
      <header className="flex flex-wrap items-start justify-between gap-3 px-4 pt-4 pb-3">
        <div className="min-w-0">
          <h2 id="equity-title" className="text-muted text-xs">
            {data?.equity === null
              ? 'Realised result'
              : `Equity of accounts that traded ${RANGE_WORDS[range]}`}
          </h2>
          {figures.isPending ? (
            <Skeleton className="my-1 h-13 w-52" />
          ) : (
            data !== undefined && <Headline figures={data} range={range} />
          )}
        </div>
        <Segmented label="Range" value={range} onChange={setRange} options={RANGE_OPTIONS} />
      </header>
      {figures.isPending ? (
        <ChartSkeleton />
      ) : (
        <EquityCurve
          figures={data}
          readAt={figures.dataUpdatedAt}
          failure={figures.error}
          onRetry={() => void figures.refetch()}
          range={range}
        />
      )}
    </section>
  );
}

function Headline({ figures, range }: { readonly figures: Figures; readonly range: Range }) {
  const { equity, net_pnl, roi } = figures;
  const currency = figures.currency ?? undefined;
  return (
    <>
      <p className="font-semibold text-2xl sm:text-figure">
        {equity === null ? (
          <Change value={net_pnl} asset={currency} />
        ) : (
          <Amount value={equity} asset={currency} digits={2} />
        )}
      </p>
      <p className="flex flex-wrap items-center gap-x-2 text-sm">
        {equity !== null && (
          <span className="text-muted">
            <Change value={net_pnl} asset={currency} /> realised
          </span>
        )}
        {roi !== null && (
          <span className="text-muted">
            <Percent ratio={roi} isChange /> return
          </span>
        )}
        <span className="text-muted">{RANGE_WORDS[range]}</span>
      </p>
    </>
  );
}
