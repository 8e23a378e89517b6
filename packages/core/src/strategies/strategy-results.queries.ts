import type { StrategyResults } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { EquityHistory } from '../performance/equity-history.rules.js';
import { equityPoints } from '../performance/equity-points.queries.js';
import { currencyOf, type StrategyDay, strategyResults } from './strategy-results.js';

type Measured = Omit<StrategyResults, 'since'>;

interface Row extends StrategyDay {
  readonly id: string;
}

/**
 * What strategies made and what their copiers did with it, of every one that is asked for; from the days that are
 * kept of them (`ResultDays`), and so at most a moment behind.
 */
export async function resultsOf(
  tx: Tx,
  strategies: readonly { readonly id: string; readonly exchangeAccountId: string }[],
): Promise<ReadonlyMap<string, Measured>> {
  if (strategies.length === 0) return new Map();
  const rows: Row[] = await tx.query(
    `SELECT strategy_id AS id, quote, day::text AS day, fill_count AS "fillCount", part_count AS "partCount",
       closed_count AS "closedCount", winning_count AS "winningCount", net_pnl AS "netPnl",
       copier_net_pnl AS "copierNetPnl"
     FROM strategy_days WHERE strategy_id = ANY ($1) ORDER BY day`,
    [strategies.map(({ id }) => id)],
  );
  const daysById = new Map<string, StrategyDay[]>(strategies.map(({ id }) => [id, []]));
  for (const row of rows) daysById.get(row.id)?.push(row);
  const equities = await equitiesFor(tx, strategies, daysById);
  return new Map(
    [...daysById].map(([id, days]) => [id, strategyResults(days, equities.get(id) ?? UNRECORDED)]),
  );
}

const UNRECORDED = new EquityHistory(new Map(), []);

/** That of each strategy's account, in the currency of its results. */
async function equitiesFor(
  tx: Tx,
  strategies: readonly { readonly id: string; readonly exchangeAccountId: string }[],
  daysById: ReadonlyMap<string, readonly StrategyDay[]>,
): Promise<ReadonlyMap<string, EquityHistory>> {
  const measured = strategies.map(({ id, exchangeAccountId }) => {
    const days = daysById.get(id) ?? [];
    const currency = currencyOf(days);
    const first = days.find(({ quote, partCount }) => quote === currency && partCount > 0);
    return { id, accountId: exchangeAccountId, currency, first };
  });
  const histories = new Map<string, EquityHistory>();
  for (const currency of new Set(measured.map((each) => each.currency))) {
    if (currency === null) continue;
    const asked = measured.filter((each) => each.currency === currency && each.first !== undefined);
    const accountIds = asked.map(({ accountId }) => accountId);
    const points = await equityPoints(tx, accountIds, currency, undefined);
    for (const { id, accountId, first } of asked)
      histories.set(id, new EquityHistory(new Map([[accountId, Date.parse(first!.day)]]), points));
  }
  return histories;
}
