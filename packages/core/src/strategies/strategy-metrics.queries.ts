/**
 * Loads the metrics of strategies. The table `copiers` belongs to the copiers feature; here its rows are only counted.
 */
import type { Decimal } from '@trading-automation/contracts';
import { allColumns, queryPrepared, type Tx } from '@trading-automation/persistence';
import { EquityHistory, equityPointsWhere } from '../performance/index.js';
import { StrategyEntity } from './strategy.entity.js';
import type { StrategyMetrics } from './strategy.view.js';
import { mainCurrency, type StrategyDay, strategyResults } from './strategy-results.js';

/** An account's equity at an instant. */
type StoredPoint = readonly [takenAt: string, amount: Decimal];

/** Names of strategy columns are in snake_case and names of metrics in camelCase, so that they cannot collide. */
interface Row {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly exchange_account_id: string;
  readonly copierCount: number;
  /** Oldest first; null if the strategy has no days. */
  readonly storedDays: readonly StrategyDay[] | null;
  /** The account's equity by currency, oldest first; null if none is recorded. */
  readonly storedPoints: Readonly<Record<string, readonly StoredPoint[]>> | null;
}

/**
 * Builds the query for the rows of `selection` and the metrics of each. `selection` is a query that returns at least
 * `id` and `exchange_account_id` of strategies; `columns` lists its columns with the alias `a`. Decimals are strings.
 * The query returns the equity in each currency, because `mainCurrency` chooses the currency of the results afterwards.
 */
const metricsSql = (columns: string, selection: string) => `
  WITH selected AS MATERIALIZED (
    ${selection}
  ), counted AS MATERIALIZED (
    SELECT strategy_id AS id, count(*)::int AS copier_count FROM copiers
    WHERE strategy_id IN (SELECT id FROM selected) AND deleted_at IS NULL GROUP BY strategy_id
  ), daily AS MATERIALIZED (
    SELECT strategy_id AS id, json_agg(json_build_object('quote', quote, 'day', day, 'fillCount', fill_count,
      'partCount', part_count, 'closedCount', closed_count, 'winningCount', winning_count, 'netPnl', net_pnl::text,
      'copierNetPnl', copier_net_pnl::text) ORDER BY day) AS days
    FROM strategy_days WHERE strategy_id IN (SELECT id FROM selected) GROUP BY strategy_id
  ), recorded AS MATERIALIZED (
    SELECT "accountId" AS account_id, currency,
      json_agg(json_build_array("takenAt", amount::text) ORDER BY "takenAt") AS points
    FROM (${equityPointsWhere(`(exchange_account_id, currency) IN
      (SELECT a.exchange_account_id, d.quote FROM selected a
       JOIN strategy_days d ON d.strategy_id = a.id AND d.part_count > 0)`)}) p
    GROUP BY 1, 2
  )
  SELECT ${columns}, coalesce(c.copier_count, 0) AS "copierCount", r.days AS "storedDays",
    (SELECT json_object_agg(currency, points) FROM recorded e
     WHERE e.account_id = a.exchange_account_id) AS "storedPoints"
  FROM selected a LEFT JOIN counted c USING (id) LEFT JOIN daily r USING (id)`;

const BY_ID = metricsSql(
  'a.id, a.exchange_account_id',
  'SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS a (id, exchange_account_id)',
);

/** Selects the strategies that a user may read, like `findReadable` in strategies.service.ts. */
const READABLE = allColumns(StrategyEntity, 'a', (columns) =>
  metricsSql(
    columns,
    `SELECT ${columns} FROM strategies a WHERE id = ANY ($1) AND deleted_at IS NULL
      AND (user_id = $2 OR (visibility = 'PUBLIC' AND status = 'ACTIVE'))`,
  ),
);

/**
 * Loads the number of copiers and the results of each strategy, by id. Results come from the stored days
 * (`DailyRollups`), so they lag slightly behind the fills.
 */
export async function loadMetrics(
  tx: Tx,
  strategies: readonly { readonly id: string; readonly exchangeAccountId: string }[],
): Promise<ReadonlyMap<string, StrategyMetrics>> {
  if (strategies.length === 0) return new Map();
  const rows = await queryPrepared<Row>(tx, BY_ID, [
    strategies.map(({ id }) => id),
    strategies.map(({ exchangeAccountId }) => exchangeAccountId),
  ]);
  return new Map(rows.map((row) => [row.id, toMetrics(row)]));
}

/** Loads the strategies that the user may read, each with its row and the metrics of `loadMetrics`. */
export async function loadReadableWithMetrics(
  tx: Tx,
  userId: string,
  ids: readonly string[],
): Promise<
  readonly { readonly row: Readonly<Record<string, unknown>>; readonly metrics: StrategyMetrics }[]
> {
  const rows = await queryPrepared<Row>(tx, READABLE(tx.connection), [ids, userId]);
  return rows.map((row) => ({ row, metrics: toMetrics(row) }));
}

function toMetrics({ exchange_account_id, copierCount, storedDays, storedPoints }: Row): StrategyMetrics {
  const days = storedDays ?? [];
  return {
    copierCount,
    results: strategyResults(days, equityFor(exchange_account_id, days, storedPoints ?? {})),
  };
}

/** Returns the equity of the strategy's account in the currency of its results. */
function equityFor(
  accountId: string,
  days: readonly StrategyDay[],
  points: NonNullable<Row['storedPoints']>,
): EquityHistory {
  const currency = mainCurrency(days);
  const first = days.find(({ quote, partCount }) => quote === currency && partCount > 0);
  if (currency === null || first === undefined) return UNRECORDED;
  return new EquityHistory(
    new Map([[accountId, Date.parse(first.day)]]),
    (points[currency] ?? []).map(([takenAt, amount]) => ({ accountId, takenAt: new Date(takenAt), amount })),
  );
}

const UNRECORDED = new EquityHistory(new Map(), []);
