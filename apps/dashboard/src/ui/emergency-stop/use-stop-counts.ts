'use client';
import { api } from '../../data/api';
import { useAccounts } from '../../data/names';
import { useOpenLots } from '../../data/open-lots';
import { usePairsById } from '../../data/pairs';
import { usePositions } from '../../data/perpetual-positions';
import { useQuery } from '../../data/query';
import { type ClosingPlan, closingPlanOf } from './closing-plan.rules';
import { openAfterStop, worthByQuote, worthOfPositions } from './open-after-stop.rules';

async function countOf(list: PromiseLike<{ readonly pagination: { readonly total?: number } }>) {
  return (await list).pagination.total ?? 0;
}

const NOTHING: ClosingPlan = { closed: [], staying: [] };
const ONE = { limit: 1, include: 'total' } as const;

/**
 * What an emergency stop would pause, cancel, close and leave open.
 *
 * @param closesPositions whether the stop also closes positions in perpetuals
 */
export function useStopCounts(closesPositions: boolean) {
  const copiers = useQuery({
    queryKey: ['copiers', 'not-paused'],
    queryFn: async ({ signal }) => {
      const active = await countOf(api().copiers.list({ ...ONE, status: 'ACTIVE' }, { signal }));
      return active + (await countOf(api().copiers.list({ ...ONE, status: 'CLOSE_ONLY' }, { signal })));
    },
  });
  const orders = useQuery({
    queryKey: ['trades', 'open-count'],
    queryFn: async ({ signal }) => {
      const pending = await countOf(api().trades.list({ ...ONE, status: 'PENDING' }, { signal }));
      return pending + (await countOf(api().trades.list({ ...ONE, status: 'PARTIALLY_FILLED' }, { signal })));
    },
  });
  const lots = useOpenLots();
  const positions = usePositions();
  const accounts = useAccounts();
  const left = lots.data && openAfterStop(lots.data, closesPositions);
  const hasPosition = positions.data !== undefined && positions.data.length > 0;
  const pairs = usePairsById(closesPositions ? pairIdsOf(positions.data ?? []) : []);
  const isPlanKnown = closesPositions && !pairs.isPending && pairs.error === null;
  const plan = hasPosition
    ? isPlanKnown && accounts.data !== undefined
      ? closingPlanOf(positions.data, accounts.data, pairs.data)
      : undefined
    : positions.data && NOTHING;
  return {
    copiers: copiers.data,
    orders: orders.data,
    lots: left?.length,
    worth: left && worthByQuote(left),
    positions: plan?.closed.length,
    positionsWorth: plan && worthOfPositions(plan.closed),
    /** The positions that the stop cannot close, or not entirely. */
    staying: plan?.staying ?? [],
    /** False only if it is certain that the user has no position in a perpetual. */
    mayHavePositions:
      accounts.data === undefined ||
      positions.data === undefined ||
      hasPosition ||
      accounts.data.some(({ trading_type }) => trading_type === 'perpetual'),
    error: copiers.error ?? orders.error ?? lots.error ?? positions.error ?? accounts.error ?? pairs.error,
  };
}

const pairIdsOf = (positions: readonly { readonly trade_pair_id?: string | undefined }[]) => [
  ...new Set(positions.flatMap(({ trade_pair_id }) => trade_pair_id ?? [])),
];
