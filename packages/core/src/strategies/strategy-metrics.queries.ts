/**
 * Loads the metrics of strategies. The tables `copiers` and `trades` belong to other features; here their rows are only
 * counted.
 */
import type { Decimal } from '@trading-automation/contracts';
import { allColumns, queryPrepared, type Tx } from '@trading-automation/persistence';
import { COPYING_USERS_MIN, type StoredPerformance } from './figures/compute-figures.js';
import { IS_LISTED, LINE_OF } from './listed-strategies.queries.js';
import { StrategyEntity } from './strategy.entity.js';

/** The public data of a strategy that is not in its own row. */
export interface StrategyMetrics {
  readonly copierCount: number;
  /** Start of the record, which includes the owner's earlier archived strategies on the same account. */
  readonly since: Date;
  /** Exact; null until the first computation. */
  readonly performance: StoredPerformance | null;
  /** The last recorded equity of the account in the currency of the results. Null if none was recorded, or if another user asks. */
  readonly equity: Decimal | null;
  /** What other users may see; null until the first computation. */
  readonly publicPerformance: StoredPerformance | null;
  /** Whether enough users other than the owner and the asker copy the strategy. */
  readonly showsCopierRoi: boolean;
}

/** Names of strategy columns are in snake_case and names of metrics in camelCase, so that they cannot collide. */
interface Row extends StrategyMetrics {
  readonly [column: string]: unknown;
  readonly id: string;
}

/**
 * Whether enough users other than the owner and the asker copy the strategy `s`. The alias `f` is its `strategy_figures`.
 *
 * @param asker the parameter of the user who asks
 */
export const showsCopierRoi = (
  s: string,
  asker: string,
) => `(coalesce(f.copying_users, 0) > ${COPYING_USERS_MIN} OR (
  coalesce(f.copying_users, 0) = ${COPYING_USERS_MIN} AND (${s}.user_id = ${asker} OR NOT EXISTS (
    SELECT FROM strategies p JOIN trades t ON coalesce(t.strategy_id, t.copied_strategy_id) = p.id
    WHERE ${LINE_OF(s)} AND t.user_id = ${asker}))))`;

/**
 * Builds the query for the rows of `selection` and the metrics of each. `selection` is a query that returns at least
 * `id`, `user_id`, `exchange_account_id` and `created_at` of strategies; `columns` lists its columns with the alias `a`.
 * $2 is the user who asks.
 */
const metricsSql = (columns: string, selection: string) => `
  WITH selected AS MATERIALIZED (
    ${selection}
  ), counted AS MATERIALIZED (
    SELECT strategy_id AS id, count(*)::int AS copier_count FROM copiers
    WHERE strategy_id IN (SELECT id FROM selected) AND deleted_at IS NULL GROUP BY strategy_id
  )
  SELECT ${columns}, coalesce(c.copier_count, 0) AS "copierCount", f.performance,
    f.public_performance AS "publicPerformance",
    (SELECT e.amount::text FROM equity_snapshots e
     WHERE a.user_id = $2 AND e.exchange_account_id = a.exchange_account_id AND e.currency = f.currency
     ORDER BY e.period DESC LIMIT 1) AS equity,
    (SELECT min(p.created_at) FROM strategies p WHERE ${LINE_OF('a')}) AS since,
    ${showsCopierRoi('a', '$2')} AS "showsCopierRoi"
  FROM selected a LEFT JOIN counted c USING (id) LEFT JOIN strategy_figures f ON f.strategy_id = a.id`;

const BY_ID = metricsSql(
  'a.id',
  'SELECT id, user_id, exchange_account_id, created_at, status FROM strategies WHERE id = ANY ($1)',
);

/** Selects the strategies that a user may read, like `findReadable` in strategies.service.ts. */
const READABLE = allColumns(StrategyEntity, 'a', (columns) =>
  metricsSql(
    columns,
    `SELECT ${columns} FROM strategies a
     WHERE id = ANY ($1) AND ((user_id = $2 AND deleted_at IS NULL) OR ${IS_LISTED('a')})`,
  ),
);

/** Loads the number of copiers and the results of each strategy, by id. The results are at most as old as the job's. */
export async function loadMetrics(
  tx: Tx,
  userId: string,
  strategyIds: readonly string[],
): Promise<ReadonlyMap<string, StrategyMetrics>> {
  if (strategyIds.length === 0) return new Map();
  const rows = await queryPrepared<Row>(tx, BY_ID, [strategyIds, userId]);
  return new Map(rows.map((row) => [row.id, row]));
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
  return rows.map((row) => ({ row, metrics: row }));
}
