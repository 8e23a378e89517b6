'use client';
import type { Pair } from '../../data/pairs';
import { useQuery } from '../../data/query';
import { tickerQuery } from '../../data/ticker';
import { decimalsOf, Exact } from '../../format/decimals';
import { Flash } from '../../ui/flash';
import { StaleNotice } from '../../ui/stale-notice';
import { Stat, StatRow } from '../../ui/stat';
import { Amount, Missing, Percent } from '../../ui/values';

/** Reads the prices of a pair now and over the last 24 hours. An exchange has none for a pair that it no longer lists. */
export function useTicker({ id, is_active }: Pair, reloadMs: number) {
  return useQuery({ ...tickerQuery(id), refetchInterval: reloadMs, enabled: is_active });
}

/** A percentage of the API, such as -0.16, as a ratio. */
export const ratioOf = (percent: string | null) =>
  percent === null ? null : new Exact(percent).div(100).toFixed();

/** The figures of a market. */
export function TickerRow({ pair }: { readonly pair: Pair }) {
  const { data, isLoading, isError, error, refetch } = useTicker(pair, 5_000);
  if (isError && data === undefined) return <StaleNotice error={error} onRetry={() => void refetch()} />;
  const digits = decimalsOf(pair.price_tick);
  return (
    <StatRow>
      <Stat
        label={`Last price, ${pair.quote}`}
        isLoading={isLoading}
        value={
          data?.last == null ? (
            <Missing />
          ) : (
            <Flash value={data.last}>
              <Amount value={data.last} digits={digits} />
            </Flash>
          )
        }
      />
      <Stat
        label="Change in 24 h"
        isLoading={isLoading}
        value={data && <Percent ratio={ratioOf(data.change_percent)} isChange />}
      />
      <Stat
        label="Highest in 24 h"
        isLoading={isLoading}
        value={data && <Amount value={data.high} digits={digits} />}
      />
      <Stat
        label="Lowest in 24 h"
        isLoading={isLoading}
        value={data && <Amount value={data.low} digits={digits} />}
      />
      <Stat
        label={`Volume in 24 h, ${pair.quote}`}
        isLoading={isLoading}
        value={data && <Amount value={data.quote_volume} digits={0} />}
      />
    </StatRow>
  );
}
