/** Reads positions as their users see them. */
import type { Decimal, MarginMode, PositionSide } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** A position with the margin of its account and the results since it was last flat. */
export interface PositionViewRow {
  readonly id: string;
  readonly userId: string;
  readonly exchangeAccountId: string;
  readonly tradePairId: string | null;
  readonly symbol: string;
  readonly side: PositionSide | null;
  readonly amount: Decimal;
  readonly entryPrice: Decimal | null;
  readonly markPrice: Decimal | null;
  readonly liquidationPrice: Decimal | null;
  readonly unrealizedPnl: Decimal | null;
  readonly maintenanceMargin: Decimal | null;
  readonly isolatedMargin: Decimal | null;
  readonly leverage: Decimal | null;
  readonly maxLeverage: Decimal | null;
  readonly marginMode: MarginMode | null;
  readonly isSupported: boolean;
  readonly isMarginCalled: boolean;
  readonly updatedAt: Date;
  /** The margin of the account; null if it was never read. */
  readonly accountEquity: Decimal | null;
  readonly accountMaintenance: Decimal | null;
  readonly isAccountCalled: boolean | null;
  readonly realizedPnl: Decimal;
  /** Positive if the account paid. */
  readonly fundingPaid: Decimal;
}

/** Selects the columns of `PositionViewRow` from `POSITION_RECORDS`. */
const POSITION_COLUMNS = `p.id, p.user_id AS "userId", p.exchange_account_id AS "exchangeAccountId",
    p.trade_pair_id AS "tradePairId", p.symbol, p.side, p.amount, p.entry_price AS "entryPrice",
    p.mark_price AS "markPrice", p.liquidation_price AS "liquidationPrice", p.unrealized_pnl AS "unrealizedPnl",
    p.maintenance_margin AS "maintenanceMargin", p.isolated_margin AS "isolatedMargin", p.leverage,
    p.max_leverage AS "maxLeverage", p.margin_mode AS "marginMode", p.is_supported AS "isSupported",
    p.is_margin_called AS "isMarginCalled", p.updated_at AS "updatedAt", m.equity AS "accountEquity",
    m.maintenance_margin AS "accountMaintenance", m.is_margin_called AS "isAccountCalled",
    coalesce(e.pnl, 0)::text AS "realizedPnl", trim_scale(coalesce((
      SELECT -sum(f.amount) FROM funding_payments f
      WHERE f.exchange_account_id = p.exchange_account_id AND f.trade_pair_id = p.trade_pair_id AND f.paid_at > e.since
        AND (e.until IS NULL OR f.paid_at <= e.until)), 0))::text AS "fundingPaid"`;

/**
 * What the lots of a position opened and closed, in the order of execution. A fill that changes the side closes lots before
 * it opens one. `held` is the net amount afterwards; negative: short.
 */
const MOVES = `
  SELECT moved.at, moved.fill_id, moved.place, moved.lot_id, moved.amount, moved.pnl, sum(moved.amount) OVER (
      ORDER BY moved.at, moved.fill_id, moved.place, moved.lot_id ROWS UNBOUNDED PRECEDING) AS held
  FROM (
    SELECT l.opened_at AS at, l.id AS fill_id, 1 AS place, l.id AS lot_id, 0 AS pnl,
      CASE l.side WHEN 'BUY' THEN l.opened_amount ELSE -l.opened_amount END AS amount
    FROM lots l WHERE l.exchange_account_id = p.exchange_account_id AND l.trade_pair_id = p.trade_pair_id
    UNION ALL
    SELECT c.closed_at, c.fill_id, 0, c.lot_id, c.pnl, CASE l.side WHEN 'BUY' THEN -c.amount ELSE c.amount END
    FROM lots l JOIN lot_closures c ON c.lot_id = l.id
    WHERE l.exchange_account_id = p.exchange_account_id AND l.trade_pair_id = p.trade_pair_id) AS moved`;

/**
 * The moves; one that crosses zero is split into two at zero. Copiers of one account have lots of both sides, and an entry
 * closes no lot. The net amount can therefore change its sign without being zero after any move. The result of a move that
 * crosses zero belongs to the side that it ends.
 */
const SPLIT_MOVES = `
  SELECT moves.at, moves.fill_id, moves.place, moves.lot_id, parts.part, parts.pnl, parts.held
  FROM (${MOVES}) AS moves
  CROSS JOIN LATERAL (SELECT moves.held * (moves.held - moves.amount) < 0 AS is_crossing) AS crossing
  CROSS JOIN LATERAL (
    SELECT 0 AS part, moves.pnl, 0 AS held WHERE crossing.is_crossing
    UNION ALL
    SELECT 1, CASE WHEN crossing.is_crossing THEN 0 ELSE moves.pnl END, moves.held) AS parts`;

/**
 * The last episode of a position's side: from flat to flat, or to now. An open position has only an episode that has not
 * ended; its lots may be flat while its last fills are not stored yet. `until` is null while the episode has not ended.
 */
const EPISODE = `
  SELECT sum(numbered.pnl) AS pnl, min(numbered.at) AS since, max(numbered.at) FILTER (WHERE numbered.held = 0) AS until
  FROM (
    SELECT moves.at, moves.pnl, moves.held, count(*) FILTER (WHERE moves.held = 0) OVER (ORDER BY moves.at, moves.fill_id, moves.place,
      moves.lot_id, moves.part ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS episode
    FROM (${SPLIT_MOVES}) AS moves) AS numbered
  GROUP BY numbered.episode
  HAVING bool_or(numbered.held > 0) = (p.side = 'LONG') AND (p.amount = 0 OR NOT bool_or(numbered.held = 0))
  ORDER BY numbered.episode DESC LIMIT 1`;

/** Positions, under the alias `p`, of accounts that are not removed. */
export const KEPT_POSITIONS = `positions p
    JOIN exchange_accounts a ON a.id = p.exchange_account_id AND a.deleted_at IS NULL`;

/** Joins positions, under the alias `p`, with their account, its margin and the result of their last episode. */
const POSITION_RECORDS = `${KEPT_POSITIONS}
    LEFT JOIN account_margins m ON m.exchange_account_id = p.exchange_account_id
    LEFT JOIN LATERAL (${EPISODE}) AS e ON true`;

/** Returns positions by id, in no particular order. */
export function positionsByIds(tx: Tx, ids: readonly string[]): Promise<PositionViewRow[]> {
  return queryPrepared<PositionViewRow & Record<string, unknown>>(
    tx,
    `SELECT ${POSITION_COLUMNS} FROM ${POSITION_RECORDS} WHERE p.id = ANY ($1)`,
    [ids],
  );
}

/** Returns the positions of an account that are open. */
export function openPositionsOf(tx: Tx, accountId: string): Promise<PositionViewRow[]> {
  return queryPrepared<PositionViewRow & Record<string, unknown>>(
    tx,
    `SELECT ${POSITION_COLUMNS} FROM ${POSITION_RECORDS} WHERE p.exchange_account_id = $1 AND p.amount > 0
     ORDER BY p.created_at, p.id`,
    [accountId],
  );
}
