'use client';
/** The results of a strategy, as lists and pages show them. */
import type { Strategy } from '@trading-automation/sdk';
import { useNow } from '../../format/clock';
import { formatCount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Badge } from '../../ui/badge';
import { Spark } from '../../ui/charts/spark';
import { Percent } from '../../ui/values';
import { daysSince, ratioOfPercent } from './performance.rules';

export type StrategyRow = Strategy<'string'>;
type Results = StrategyRow['performance'];

/** A strategy is shown to its owner with its account. */
export const isOwn = ({ exchange_account_id }: StrategyRow) => exchange_account_id !== undefined;

/** "96 days, 412 closed trades", and a warning in words for a short record. */
export function Sample({ results }: { readonly results: Results }) {
  const { locale } = usePreferences();
  const days = daysSince(results.since, useNow());
  const trades = results.closed_count;
  return (
    <span className="inline-flex flex-col whitespace-nowrap max-md:flex-row max-md:flex-wrap max-md:items-center max-md:gap-x-2">
      <span>
        {formatCount(days, locale)} {days === 1 ? 'day' : 'days'}, {formatCount(trades, locale)}{' '}
        {trades === 1 ? 'trade' : 'trades'}
      </span>
      {results.low_sample && <SmallSample />}
    </span>
  );
}

export const SmallSample = () => (
  <span title="The record has fewer than 30 days. Its ratios are unreliable.">
    <Badge tone="warn">Small sample</Badge>
  </span>
);

/** The return of the copiers, or why it is not published. */
export function CopierReturn({ results }: { readonly results: Results }) {
  if (results.copier_roi === null)
    return (
      <span
        className="whitespace-nowrap text-muted text-xs"
        title="Published once at least 5 other users have a result from copying the strategy."
      >
        Under 5 with results
      </span>
    );
  return <Percent ratio={results.copier_roi} isChange />;
}

/** The largest fall. A fall is always a loss, so that it has a minus sign. */
export function Drawdown({ percent }: { readonly percent: string | null }) {
  const ratio = ratioOfPercent(percent);
  return ratio === null ? (
    <Percent ratio={null} />
  ) : (
    <Percent ratio={ratio.startsWith('-') ? ratio : `-${ratio}`} />
  );
}

export function CurveSpark({ results, name }: { readonly results: Results; readonly name: string }) {
  const values = results.curve.map(({ index }) => Number(index));
  const last = results.curve.at(-1)?.index;
  return <Spark values={values} label={`Curve of ${name}, from 100 to ${last ?? 'an unknown index'}`} />;
}
