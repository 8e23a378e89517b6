/** Reads the days of a strategy and of its copiers, and stores its figures. The job computes results first. */
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { equityPoints } from '../../performance/index.js';
import { lotsWithUnvaluedFee } from '../../values/index.js';
import { LINE_OF } from '../listed-strategies.queries.js';
import type { CopyingAccount, Figures, StrategyDay } from './compute-figures.js';
import { COPYING_USERS_MIN, publicPerformanceOf } from './compute-figures.js';

export interface StrategyLine {
  readonly id: string;
  readonly userId: string;
  readonly accountId: string;
  /** The strategies whose results belong to the record, the strategy itself included. */
  readonly ids: readonly string[];
}

/** Returns the strategies whose record includes one of the given ones. */
export async function strategiesWithRecordOf(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT DISTINCT s.id FROM strategies p
     JOIN strategies s ON s.exchange_account_id = p.exchange_account_id AND s.user_id = p.user_id
       AND s.created_at >= p.created_at
     WHERE p.id = ANY ($1) ORDER BY s.id`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Returns strategies whose figures are due although no fill changed them: prices or equities moved. */
export async function dueStrategies(tx: Tx, limit: number): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT strategy_id AS id FROM strategy_figures
     WHERE computed_at < clock_timestamp() - interval '1 hour' OR (
       computed_at < clock_timestamp() - interval '1 minute' AND (
         has_open_lots OR (performance ->> 'roi' IS NULL AND performance ->> 'closed_count' <> '0')))
     ORDER BY computed_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

export async function readLine(tx: Tx, id: string): Promise<StrategyLine | undefined> {
  const [line] = await queryPrepared<StrategyLine>(
    tx,
    `SELECT s.id, s.user_id AS "userId", s.exchange_account_id AS "accountId",
       ARRAY (SELECT p.id FROM strategies p WHERE ${LINE_OF('s')}) AS ids
     FROM strategies s WHERE s.id = $1`,
    [id],
  );
  return line;
}

/** Returns the days of the strategy's account, oldest first. */
export function ownDays(tx: Tx, { ids, accountId }: StrategyLine): Promise<StrategyDay[]> {
  return queryPrepared<StrategyDay>(
    tx,
    `SELECT p.quote, r.trade_pair_id AS "pairId", r.day::text AS day, sum(r.fill_count)::int AS "fillCount",
       sum(r.part_count)::int AS "partCount", sum(r.closed_count)::int AS "closedCount",
       sum(r.winning_count)::int AS "winningCount", sum(r.net_pnl)::text AS "netPnl",
       sum(coalesce(r.funding, 0))::text AS funding,
       sum(r.gross_profit)::text AS "grossProfit", sum(r.gross_loss)::text AS "grossLoss",
       sum(coalesce(r.held_change, 0))::text AS "heldChange", sum(coalesce(r.cost_change, 0))::text AS "costChange"
     FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id
     WHERE r.strategy_id = ANY ($1) AND r.exchange_account_id = $2
     GROUP BY 1, 2, 3 ORDER BY 3, 2`,
    [ids, accountId],
  );
}

/**
 * Returns the results of the copies in one currency, by account. Open lots count at the last known price of their pair,
 * or at their cost. The first equity is the last one before the day of the first copy, else the first one of that day.
 */
export function copyingAccounts(
  tx: Tx,
  { ids, accountId }: StrategyLine,
  currency: string,
): Promise<CopyingAccount[]> {
  return queryPrepared<CopyingAccount>(
    tx,
    `WITH held AS (
       SELECT r.user_id, r.exchange_account_id, r.trade_pair_id, sum(r.net_pnl) AS net_pnl,
         sum(coalesce(r.held_change, 0)) AS held, sum(coalesce(r.cost_change, 0)) AS cost, min(r.day) AS first_day
       FROM result_days r JOIN trade_pairs p ON p.id = r.trade_pair_id AND p.quote = $3
       WHERE r.strategy_id = ANY ($1) AND r.exchange_account_id <> $2 AND (r.fill_count + r.part_count > 0 OR r.funding <> 0)
       GROUP BY 1, 2, 3
     ), valued AS (
       SELECT h.user_id, h.exchange_account_id, sum(h.net_pnl) AS net_pnl, min(h.first_day) AS first_day,
         sum(CASE WHEN h.held = 0 THEN 0 ELSE coalesce(h.held * (
           SELECT d.price FROM pair_day_prices d WHERE d.trade_pair_id = h.trade_pair_id ORDER BY d.day DESC LIMIT 1
         ) - h.cost, 0) END) AS open_result
       FROM held h GROUP BY 1, 2
     )
     SELECT v.user_id AS "userId", v.net_pnl::text AS "netPnl", v.open_result::text AS "openResult", coalesce(
         (SELECT e.amount FROM equity_snapshots e
          WHERE e.exchange_account_id = v.exchange_account_id AND e.currency = $3
            AND e.period < (v.first_day AT TIME ZONE 'UTC') ORDER BY e.period DESC LIMIT 1),
         (SELECT e.amount FROM equity_snapshots e
          WHERE e.exchange_account_id = v.exchange_account_id AND e.currency = $3
            AND e.period < ((v.first_day + 1) AT TIME ZONE 'UTC') ORDER BY e.period LIMIT 1))::text AS "firstEquity"
     FROM valued v`,
    [ids, accountId, currency],
  );
}

/** Returns whether a lot of the strategy in this currency lacks the value of a fee. */
export async function hasUnvaluedFee(
  tx: Tx,
  { ids, accountId }: StrategyLine,
  currency: string,
): Promise<boolean> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT l.id FROM ${lotsWithUnvaluedFee('f.exchange_account_id = $2')} JOIN trade_pairs p ON p.id = l.trade_pair_id
     WHERE l.strategy_id = ANY ($1) AND p.quote = $3 LIMIT 1`,
    [ids, accountId, currency],
  );
  return rows.length > 0;
}

export const pointsOf = (tx: Tx, { accountId }: StrategyLine, currency: string) =>
  equityPoints(tx, [accountId], currency, undefined);

/** The condition that the row `f` contains a `copier_roi` of the current UTC day for other users. */
const HAS_ROI_OF_TODAY =
  "(f.public_copier_roi IS NOT NULL AND f.public_copier_roi_day >= (clock_timestamp() AT TIME ZONE 'UTC')::date)";

/**
 * Stores figures, which are in `currency`; null before the first fill. What other users see is left as it is while the
 * strategy is private or deleted. The `copier_roi` that they see changes at most once a day, with the number of users of
 * which it was computed: from many values, a person with several users could compute the result of another copier.
 */
export async function storeFigures(
  tx: Tx,
  { id, currency }: { readonly id: string; readonly currency: string | null },
  { performance, hasOpenLots, copyingUsers }: Figures,
): Promise<void> {
  const shown = publicPerformanceOf(performance);
  const isShared = copyingUsers >= COPYING_USERS_MIN;
  await queryPrepared(
    tx,
    `INSERT INTO strategy_figures AS f (strategy_id, computed_at, has_open_lots, performance, public_performance,
       public_roi, public_max_drawdown_percent, public_copier_roi, public_copier_roi_day, copying_users, currency)
     SELECT s.id, clock_timestamp(), $2, $3, CASE WHEN seen.is_public THEN $4::jsonb END,
       CASE WHEN seen.is_public THEN $5::numeric END, CASE WHEN seen.is_public THEN $6::numeric END,
       CASE WHEN seen.is_public THEN $7::numeric END, (clock_timestamp() AT TIME ZONE 'UTC')::date, $8, $9
     FROM strategies s, LATERAL (SELECT s.visibility = 'PUBLIC' AND s.deleted_at IS NULL AS is_public) seen
     WHERE s.id = $1
     ON CONFLICT (strategy_id) DO UPDATE SET computed_at = excluded.computed_at, has_open_lots = excluded.has_open_lots,
       performance = excluded.performance, currency = excluded.currency,
       copying_users = CASE WHEN ${HAS_ROI_OF_TODAY} THEN f.copying_users ELSE excluded.copying_users END,
       public_performance = CASE WHEN excluded.public_performance IS NULL THEN f.public_performance
         WHEN ${HAS_ROI_OF_TODAY} THEN excluded.public_performance
           || jsonb_build_object('copier_roi', f.public_performance -> 'copier_roi')
         ELSE excluded.public_performance END,
       public_roi = CASE WHEN excluded.public_performance IS NULL THEN f.public_roi ELSE excluded.public_roi END,
       public_max_drawdown_percent = CASE WHEN excluded.public_performance IS NULL
         THEN f.public_max_drawdown_percent ELSE excluded.public_max_drawdown_percent END,
       public_copier_roi = CASE WHEN excluded.public_performance IS NULL OR ${HAS_ROI_OF_TODAY}
         THEN f.public_copier_roi ELSE excluded.public_copier_roi END,
       public_copier_roi_day = CASE WHEN excluded.public_performance IS NULL OR ${HAS_ROI_OF_TODAY}
         THEN f.public_copier_roi_day ELSE excluded.public_copier_roi_day END`,
    [
      id,
      hasOpenLots,
      JSON.stringify(performance),
      JSON.stringify(shown),
      shown.roi,
      shown.max_drawdown_percent,
      isShared ? shown.copier_roi : null,
      copyingUsers,
      currency,
    ],
  );
}
