'use client';
import { api } from '../../data/api';
import { useOpenLots } from '../../data/open-lots';
import { useQuery } from '../../data/query';
import { sumOf } from '../../format/decimals';
import { quoteOf } from '../../format/money';

async function countOf(list: PromiseLike<{ readonly pagination: { readonly total?: number } }>) {
  return (await list).pagination.total ?? 0;
}

const ONE = { limit: 1, include: 'total' } as const;

/** What an emergency stop would pause, cancel and leave open. */
export function useStopCounts(isEnabled: boolean) {
  const copiers = useQuery({
    queryKey: ['copiers', 'not-paused'],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const active = await countOf(api().copiers.list({ ...ONE, status: 'ACTIVE' }, { signal }));
      return active + (await countOf(api().copiers.list({ ...ONE, status: 'CLOSE_ONLY' }, { signal })));
    },
  });
  const orders = useQuery({
    queryKey: ['trades', 'open-count'],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const pending = await countOf(api().trades.list({ ...ONE, status: 'PENDING' }, { signal }));
      return pending + (await countOf(api().trades.list({ ...ONE, status: 'PARTIALLY_FILLED' }, { signal })));
    },
  });
  const lots = useOpenLots(isEnabled);
  return {
    copiers: copiers.data,
    orders: orders.data,
    lots: lots.data?.length,
    worth: lots.data === undefined ? undefined : worthByQuote(lots.data),
    error: copiers.error ?? orders.error ?? lots.error,
  };
}

interface Valued {
  readonly symbol: string;
  readonly remaining_cost: string;
  readonly unrealized_pnl: string | null;
}

/** The value of lots by quote currency: their cost and their open result. A lot without a price counts at its cost. */
export function worthByQuote(lots: readonly Valued[]): { readonly asset: string; readonly value: string }[] {
  const values = new Map<string, string[]>();
  for (const { symbol, remaining_cost, unrealized_pnl } of lots) {
    const quote = quoteOf(symbol);
    values.set(quote, [...(values.get(quote) ?? []), remaining_cost, unrealized_pnl ?? '0']);
  }
  return [...values].map(([asset, parts]) => ({ asset, value: sumOf(parts) }));
}
