'use client';
import type { Figures } from '../../data/analytics';
import { byId, useStrategies } from '../../data/names';
import { formatAmount, formatPercent, formatSigned } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { Card } from '../../ui/card';
import { ChartFrame } from '../../ui/charts/chart-frame';
import { onDemand } from '../../ui/on-demand';
import { Skeleton } from '../../ui/skeleton';
import { EmptyState } from '../../ui/states';
import { type NamedResult, restOf, sortByResult } from './breakdown.rules';
import { useCopiedNames } from './copied-names';

const ResultBars = onDemand(
  () => import('./result-bars').then((module) => module.ResultBars),
  <Skeleton className="mx-4 h-40" />,
);

const TITLES = { strategy: 'Result by strategy', pair: 'Result by pair' } as const;
const COLUMNS = ['Name', 'Result', 'Win rate', 'Closed', 'Trades', 'Fees', 'Volume'];
const ROW_PX = 40;
const BARS_MAX = 10;

/** The result of each strategy or pair. */
export function Breakdown({ figures, by }: { readonly figures: Figures; readonly by: 'strategy' | 'pair' }) {
  const { locale } = usePreferences();
  const results = useNamedResults(figures, by);
  if (results === undefined) return <Skeleton className="h-60" />;
  const drawn = results.filter(({ currency }) => currency === figures.currency);
  const shown = drawn.slice(0, BARS_MAX);
  const height = Math.max(120, shown.length * ROW_PX + 36);
  const unit = figures.currency ?? '';
  return (
    <Card title={`${TITLES[by]}${unit === '' ? '' : `, ${unit}`}`} isFlush>
      {shown.length === 0 ? (
        <EmptyState title={by === 'pair' ? 'No pair has a result.' : 'No strategy has a result.'} />
      ) : (
        <ChartFrame
          description={`${TITLES[by]} in ${unit}`}
          height={height}
          hasAttribution={false}
          table={{
            columns: COLUMNS,
            rows: results.map((result) => [
              result.name,
              `${formatSigned(result.net_pnl, locale, 2)} ${result.currency}`,
              result.win_rate === null ? '–' : formatPercent(result.win_rate, locale),
              String(result.closed_count),
              String(result.trade_count),
              formatAmount(result.fees, locale, 2),
              formatAmount(result.volume, locale, 0),
            ]),
          }}
        >
          <ResultBars results={shown} height={height} />
        </ChartFrame>
      )}
      {drawn.length > BARS_MAX && (
        <p className="px-4 pb-3 text-muted text-xs">
          The chart shows the first {BARS_MAX} of {drawn.length}. The table lists all of them.
        </p>
      )}
    </Card>
  );
}

/** Returns the results with their names, sorted; undefined while the names are loading. */
function useNamedResults(figures: Figures, by: 'strategy' | 'pair'): readonly NamedResult[] | undefined {
  const { data: strategies, isPending } = useStrategies();
  const ofOthers = figures.by_strategy
    .map(({ strategy_id }) => strategy_id)
    .filter((id) => by === 'strategy' && strategies !== undefined && byId(strategies, id) === undefined);
  const copied = useCopiedNames(ofOthers);
  if (by === 'pair')
    return sortByResult(figures.by_pair.map((result) => ({ ...result, name: result.symbol })));
  if (isPending) return undefined;
  const named = figures.by_strategy.map((result) => ({
    ...result,
    name: byId(strategies, result.strategy_id)?.name ?? copied[result.strategy_id] ?? 'Copied strategy',
  }));
  const rest = restOf(figures, figures.by_strategy, 'Without a strategy');
  return sortByResult(rest === undefined ? named : [...named, rest]);
}
