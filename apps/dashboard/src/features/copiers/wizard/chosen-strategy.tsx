'use client';
import Link from 'next/link';
import { Card } from '../../../ui/card';
import { Detail, Details } from '../../../ui/details';
import { ProfitShareTerms } from '../../../ui/profit-share';
import { Amount, Percent, Time } from '../../../ui/values';
import type { StrategyRecord } from '../use-copier';

/** What is known about the chosen strategy, beside the steps. */
export function ChosenStrategy({ strategy }: { readonly strategy: StrategyRecord }) {
  const { performance: results, min_copy_equity: minimum } = strategy;
  return (
    <Card title={strategy.name}>
      <Details>
        <Detail name="Copiers' return">
          {results.copier_roi === null ? (
            <span className="text-muted">Under 5 copiers</span>
          ) : (
            <Percent ratio={results.copier_roi} isChange />
          )}
        </Detail>
        <Detail name="Return">
          <Percent ratio={results.roi} isChange />
        </Detail>
        <Detail name="Max drawdown">
          <Percent
            ratio={
              results.max_drawdown_percent === null ? null : `-${Number(results.max_drawdown_percent) / 100}`
            }
          />
        </Detail>
        <Detail name="Record">
          {results.closed_count} closed, since <Time at={results.since} />
        </Detail>
        <Detail name="Profit share">
          <ProfitShareTerms terms={strategy.profit_share} />
        </Detail>
        {minimum !== undefined && (
          <Detail name="Minimum equity">
            <Amount value={minimum} digits={2} />
          </Detail>
        )}
      </Details>
      {results.low_sample && (
        <p className="pt-2 text-muted text-xs">
          Small sample: the record has fewer than 30 days, so its ratios are unreliable.
        </p>
      )}
      <Link
        href={`/strategies/${strategy.id}`}
        className="mt-3 inline-block text-accent-text text-sm underline"
      >
        All figures
      </Link>
    </Card>
  );
}
