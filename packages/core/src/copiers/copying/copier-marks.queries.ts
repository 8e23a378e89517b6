/**
 * Stores the results from which the losses of copiers are measured. In `copier_marks`, `day_pnl` is the result at 00:00
 * UTC, `peak_pnl` the highest result and `pnl` the current one.
 */
import type { Decimal } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** A copier's result and losses in one quote currency. Results in different currencies are never added. */
export interface CopierLosses {
  readonly copierId: string;
  readonly quote: string;
  /** Realised and open profit and loss of all lots, net of fees, plus funding. */
  readonly pnl: Decimal;
  readonly dayLossQuote: Decimal;
  readonly drawdownQuote: Decimal;
}

/**
 * Only the profit and loss of copies and their funding counts; deposits and withdrawals do not.
 * The result at midnight is the last stored result, if it was stored at most 10 minutes before midnight. Otherwise it
 * is the result realised by midnight, plus the current open result of the lots that were open then. A pair without a
 * price is valued at cost.
 */
const REFRESH_RESULTS = `
  WITH today AS (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day,
    date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS midnight),
  lot_results AS (
    SELECT l.copier_id, p.quote, l.opened_at, x.realized, x.realized_before,
      CASE WHEN l.open_amount = 0 OR p.last_price IS NULL THEN 0
           WHEN l.side = 'BUY' THEN l.open_amount * p.last_price - l.open_value
           ELSE l.open_value - l.open_amount * p.last_price END AS open_pnl
    FROM today, lots l JOIN trade_pairs p ON p.id = l.trade_pair_id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(r.pnl), 0) AS realized,
        coalesce(sum(r.pnl) FILTER (WHERE r.at < today.midnight), 0) AS realized_before
      FROM (SELECT c.pnl, c.closed_at AS at FROM lot_closures c WHERE c.lot_id = l.id
            UNION ALL SELECT f.amount, f.at FROM lot_funding f WHERE f.lot_id = l.id) r) x
    WHERE l.copier_id = ANY ($1)),
  results AS (
    SELECT copier_id, quote, sum(realized + open_pnl) AS pnl,
      sum(realized_before + CASE WHEN opened_at < midnight THEN open_pnl ELSE 0 END) AS midnight_pnl
    FROM lot_results, today GROUP BY copier_id, quote)
  INSERT INTO copier_marks AS m (copier_id, quote, day, day_pnl, peak_pnl, pnl, updated_at)
  SELECT copier_id, quote, day, midnight_pnl, greatest(0, pnl), pnl, clock_timestamp() FROM results, today
  ORDER BY copier_id, quote
  ON CONFLICT (copier_id, quote) DO UPDATE SET day = excluded.day,
    day_pnl = CASE WHEN m.day = excluded.day THEN m.day_pnl
      WHEN m.updated_at >= (SELECT midnight FROM today) - interval '10 minutes' THEN m.pnl
      ELSE excluded.day_pnl END,
    peak_pnl = greatest(m.peak_pnl, excluded.pnl), pnl = excluded.pnl, updated_at = excluded.updated_at
  RETURNING copier_id AS "copierId", quote, pnl::text AS pnl, greatest(0, day_pnl - pnl)::text AS "dayLossQuote",
    (peak_pnl - pnl)::text AS "drawdownQuote"`;

/** Stores the current results and returns the losses. A copier without lots has no row. */
export function refreshLosses(tx: Tx, copierIds: readonly string[]): Promise<CopierLosses[]> {
  return queryPrepared<CopierLosses>(tx, REFRESH_RESULTS, [copierIds]);
}

/** Sets the peaks to the results that `refreshLosses` stored, so that a drawdown for which a copier was stopped is over. */
export async function resetPeaks(tx: Tx, copierIds: readonly string[]): Promise<void> {
  await queryPrepared(tx, 'UPDATE copier_marks SET peak_pnl = pnl WHERE copier_id = ANY ($1)', [copierIds]);
}

/** Raises each copier's high-water mark, above which profit is shared, to its realised result with its strategy. */
export async function raiseHighWaterMarks(tx: Tx, copierIds: readonly string[]): Promise<void> {
  await queryPrepared(
    tx,
    `WITH realized AS (
       SELECT l.copier_id, l.strategy_id, round(sum(c.pnl), 18) AS pnl
       FROM lots l JOIN lot_closures c ON c.lot_id = l.id
       WHERE l.copier_id = ANY ($1) GROUP BY l.copier_id, l.strategy_id)
     UPDATE copiers SET high_water_mark = realized.pnl FROM realized
     WHERE copiers.id IN (SELECT id FROM copiers WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE)
       AND realized.copier_id = copiers.id AND realized.strategy_id = copiers.strategy_id
       AND realized.pnl > copiers.high_water_mark`,
    [copierIds],
  );
}
