/** What is measured of strategies. Copiers' rows are the copiers feature's; they are counted here alone. */
import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { EquityHistory } from '../performance/equity-history.rules.js';
import { equityPointsWhere } from '../performance/equity-points.queries.js';
import type { Measured } from './strategy.view.js';
import { currencyOf, type StrategyDay, strategyResults } from './strategy-results.js';

/** When an account was worth how much. */
type StoredPoint = readonly [takenAt: string, amount: Decimal];

interface Row {
  readonly id: string;
  readonly accountId: string;
  readonly copierCount: number;
  /** Oldest first, as the points; null where there is none. */
  readonly days: readonly StrategyDay[] | null;
  /** By currency. */
  readonly points: Readonly<Record<string, readonly StoredPoint[]>> | null;
}

/** Decimals travel as text. In which currency results are counted is no matter of SQL: equity is read in each of them. */
const MEASURED = `
  WITH asked AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS a (id, account_id)
  ), counted AS MATERIALIZED (
    SELECT strategy_id AS id, count(*)::int AS copier_count FROM copiers
    WHERE strategy_id = ANY ($1) AND deleted_at IS NULL GROUP BY strategy_id
  ), resulted AS MATERIALIZED (
    SELECT strategy_id AS id, json_agg(json_build_object('quote', quote, 'day', day, 'fillCount', fill_count,
      'partCount', part_count, 'closedCount', closed_count, 'winningCount', winning_count, 'netPnl', net_pnl::text,
      'copierNetPnl', copier_net_pnl::text) ORDER BY day) AS days
    FROM strategy_days WHERE strategy_id = ANY ($1) GROUP BY strategy_id
  ), recorded AS MATERIALIZED (
    SELECT "accountId" AS account_id, currency,
      json_agg(json_build_array("takenAt", amount::text) ORDER BY "takenAt") AS points
    FROM (${equityPointsWhere(`(exchange_account_id, currency) IN
      (SELECT a.account_id, d.quote FROM asked a JOIN strategy_days d ON d.strategy_id = a.id AND d.part_count > 0)`)}) p
    GROUP BY 1, 2
  )
  SELECT a.id, a.account_id AS "accountId", coalesce(c.copier_count, 0) AS "copierCount", r.days,
    (SELECT json_object_agg(currency, points) FROM recorded e WHERE e.account_id = a.account_id) AS points
  FROM asked a LEFT JOIN counted c USING (id) LEFT JOIN resulted r USING (id)`;

/**
 * How many copiers follow strategies, what they made and what their copiers did with it, of every one that is asked
 * for; results are read from the days that are kept of them (`ResultDays`), and so at most a moment behind.
 */
export async function measuresOf(
  tx: Tx,
  strategies: readonly { readonly id: string; readonly exchangeAccountId: string }[],
): Promise<ReadonlyMap<string, Measured>> {
  if (strategies.length === 0) return new Map();
  const rows = await queryPrepared<Row & Record<string, unknown>>(tx, MEASURED, [
    strategies.map(({ id }) => id),
    strategies.map(({ exchangeAccountId }) => exchangeAccountId),
  ]);
  return new Map(rows.map((row) => [row.id, measuredOf(row)]));
}

function measuredOf({ accountId, copierCount, days: stored, points }: Row): Measured {
  const days = stored ?? [];
  return { copierCount, results: strategyResults(days, equityFor(accountId, days, points ?? {})) };
}

/** That of the strategy's account, in the currency of its results. */
function equityFor(
  accountId: string,
  days: readonly StrategyDay[],
  points: NonNullable<Row['points']>,
): EquityHistory {
  const currency = currencyOf(days);
  const first = days.find(({ quote, partCount }) => quote === currency && partCount > 0);
  if (currency === null || first === undefined) return UNRECORDED;
  return new EquityHistory(
    new Map([[accountId, Date.parse(first.day)]]),
    (points[currency] ?? []).map(([takenAt, amount]) => ({ accountId, takenAt: new Date(takenAt), amount })),
  );
}

const UNRECORDED = new EquityHistory(new Map(), []);
