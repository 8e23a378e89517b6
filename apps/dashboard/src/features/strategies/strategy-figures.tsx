'use client';
import type { ReactNode } from 'react';
import { useNow } from '../../format/clock';
import { formatFigure } from '../../format/figures';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import { Stat, StatRow } from '../../ui/stat';
import { Amount, Change, Missing, Percent, Time } from '../../ui/values';
import { CopierReturn, Drawdown, isOwn, SmallSample, type StrategyRow } from './figures';
import { daysSince } from './performance.rules';

/** The figures that the page is about. */
export function HeadFigures({ strategy }: { readonly strategy: StrategyRow }) {
  const { performance: results } = strategy;
  const days = daysSince(results.since, useNow());
  return (
    <StatRow>
      <Stat
        label="Copiers' return"
        value={<CopierReturn results={results} />}
        note={`${strategy.copier_count} ${strategy.copier_count === 1 ? 'copier' : 'copiers'} now`}
      />
      <Stat label="Return" value={<Percent ratio={results.roi} isChange />} note="Open positions included" />
      <Stat
        label="Max drawdown"
        value={<Drawdown percent={results.max_drawdown_percent} />}
        note="From the peak"
      />
      <Stat
        label="Win rate"
        value={<Percent ratio={results.win_rate} />}
        note={`of ${results.closed_count} closed ${results.closed_count === 1 ? 'trade' : 'trades'}`}
      />
      <Stat
        label="Record"
        value={`${days} ${days === 1 ? 'day' : 'days'}`}
        note={results.low_sample ? <SmallSample /> : <SinceNote since={results.since} />}
      />
    </StatRow>
  );
}

const SinceNote = ({ since }: { readonly since: string }) => (
  <>
    since <Time at={since} />
  </>
);

/** Each figure with what it means. */
export function FigureDefinitions({ strategy }: { readonly strategy: StrategyRow }) {
  const { performance: results } = strategy;
  return (
    <Card title="Figures and what they mean">
      <dl className="flex flex-col text-sm">
        <Figure
          name="Copiers' return"
          value={<CopierReturn results={results} />}
          meaning="Result of all copiers of other users, realised and open, after fees, divided by their equity at the start. Published from 5 copiers on. It can differ from the strategy's return: copiers start at another time, size by their own equity, and skip what their limits forbid."
        />
        <Figure
          name="Return"
          value={<Percent ratio={results.roi} isChange />}
          meaning="Result of each UTC day, realised and open, divided by the equity at its start, compounded. Deposits and withdrawals never count."
        />
        <Figure
          name="Max drawdown"
          value={<Drawdown percent={results.max_drawdown_percent} />}
          meaning="Largest fall of the compounded returns from their peak."
        />
        <Figure
          name="Win rate"
          value={<Percent ratio={results.win_rate} />}
          meaning="Share of closed trades with a profit. Trades that are still open do not count."
        />
        <Figure
          name="Profit factor"
          value={<Ratio value={results.profit_factor} />}
          meaning="Profits divided by losses of the closed trades, after fees. Missing if there was no loss."
        />
        <Figure
          name="Sharpe ratio"
          value={<Ratio value={results.sharpe} />}
          meaning="Mean of the daily returns divided by their standard deviation, for a year. Missing for fewer than 2 days."
        />
        {isOwn(strategy) && <OwnFigures results={results} />}
        <Figure
          name="Sample"
          value={`${results.closed_count} closed`}
          meaning={
            results.low_sample
              ? 'The record has fewer than 30 days: the ratios are unreliable.'
              : 'The record has at least 30 days.'
          }
        />
        <Figure
          name="Since"
          value={<Time at={results.since} isExact />}
          meaning="Start of the record. Archived strategies of the owner on the same account count, too."
        />
      </dl>
      {isOwn(strategy) && (
        <p className="border-t pt-3 text-muted text-xs">
          Amounts are in the quote currency with the most closed trades; results in others are excluded.
        </p>
      )}
      {results.fees_incomplete && (
        <p className="border-t pt-3 text-muted text-xs">
          A fee in a third asset has no known price yet, so the results exclude it until then.
        </p>
      )}
    </Card>
  );
}

function OwnFigures({ results }: { readonly results: StrategyRow['performance'] }) {
  return (
    <>
      <Figure
        name="Realised result"
        value={<Change value={results.net_pnl} />}
        meaning="Of the closed parts of lots, after fees. Only you see amounts."
      />
      <Figure
        name="Open result"
        value={<Change value={results.unrealized_pnl} />}
        meaning="Of the open lots at the last prices, after the fees paid."
      />
      <Figure
        name="Result of copiers"
        value={<Change value={results.copier_net_pnl} />}
        meaning="Realised result of all copiers, after fees."
      />
      <Figure
        name="Equity"
        value={<Amount value={results.equity} digits={2} />}
        meaning="Last recorded equity of the account."
      />
    </>
  );
}

function Ratio({ value }: { readonly value: string | null }) {
  const { locale } = usePreferences();
  return value === null ? <Missing /> : formatFigure(value, locale);
}

function Figure({
  name,
  value,
  meaning,
}: {
  readonly name: string;
  readonly value: ReactNode;
  readonly meaning: string;
}) {
  return (
    <div className="grid grid-cols-[1fr_auto] gap-x-4 border-t py-2 first:border-t-0">
      <dt className="font-medium">{name}</dt>
      <dd className="text-right">{value}</dd>
      <dd className="col-span-2 max-w-160 text-muted text-xs">{meaning}</dd>
    </div>
  );
}
