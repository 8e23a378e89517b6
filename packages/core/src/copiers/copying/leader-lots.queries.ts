/** Reads a strategy's open lots, and the exits that a copier missed. */
import type { Decimal, SignalKind, TradeSide } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

export interface MissedExit {
  readonly lotTradeId: string;
  readonly sequence: number;
  readonly kind: Extract<SignalKind, 'REDUCE' | 'CLOSE'>;
  readonly symbol: string;
  readonly exitAmount: Decimal;
  readonly lotAmountBefore: Decimal;
  /**
   * What the copier's decision on the exit still had to sell when it was abandoned; null if it was not abandoned.
   * Negative for an exit whose order also sold amounts of earlier exits, which have the difference.
   */
  readonly abandonedAmount: Decimal | null;
  /** The same, as users other than the strategy's owner may know it. */
  readonly maskedAbandoned: Decimal | null;
  /** Whether the copier's user also owns the strategy. */
  readonly isOwn: boolean;
  /** The amount of the lot that the copier holds now. */
  readonly heldAmount: Decimal;
  /** The amount step of orders that sell it. */
  readonly amountStep: Decimal;
}

/**
 * Returns the exits up to the sequence `until` that the copier did not follow, in order of sequence. Includes only
 * exits of lots that the copier still holds, after its first entry of the lot. Exits that are not planned yet count as
 * missed, too: the copier was paused when they were emitted.
 */
export function missedExits(
  tx: Tx,
  copierId: string,
  strategyId: string,
  until: number,
): Promise<MissedExit[]> {
  return queryPrepared<MissedExit>(
    tx,
    `SELECT s.lot_trade_id AS "lotTradeId", s.sequence::float8 AS sequence, s.kind, s.symbol,
       s.exit_amount AS "exitAmount", s.lot_amount_before AS "lotAmountBefore", held.amount::text AS "heldAmount",
       held.step::text AS "amountStep", CASE WHEN d.is_abandoned AND d.is_applied THEN
         (d.target_amount - d.filled_amount - coalesce(t.filled_amount, 0))::text END AS "abandonedAmount",
       CASE WHEN d.is_abandoned AND d.is_applied THEN
         (coalesce((d.inputs ->> 'masked_target')::numeric, d.target_amount)
           - round(d.filled_amount / held.step) * held.step - coalesce(t.filled_amount, 0))::text END AS "maskedAbandoned",
       held.is_own AS "isOwn"
     FROM (SELECT l.source_trade_id, sum(l.open_amount) AS amount, max(greatest(p.amount_step, p.market_amount_step)) AS step,
             bool_or(l.user_id = st.user_id) AS is_own
           FROM lots l JOIN trade_pairs p ON p.id = l.trade_pair_id JOIN strategies st ON st.id = l.strategy_id
           WHERE l.copier_id = $1 AND l.strategy_id = $2 AND l.open_amount > 0 GROUP BY l.source_trade_id) held
     JOIN signals s ON s.lot_trade_id = held.source_trade_id
     LEFT JOIN decisions d ON d.signal_id = s.id AND d.copier_id = $1
     LEFT JOIN trades t ON t.id = d.pending_trade_id
     WHERE s.kind IN ('REDUCE', 'CLOSE') AND s.sequence <= $3
       AND (d.id IS NULL OR (d.code = 'NOT_ACTIVE' AND d.settled_at IS NOT NULL) OR d.is_abandoned)
       AND s.sequence > (SELECT min(e.sequence) FROM decisions e
                         WHERE e.copier_id = $1 AND e.lot_trade_id = s.lot_trade_id
                           AND e.kind IN ('OPEN', 'INCREASE') AND e.trade_id IS NOT NULL)
     ORDER BY s.sequence`,
    [copierId, strategyId, until],
  );
}

export interface LeaderLot {
  readonly lotTradeId: string;
  readonly lastSequence: number;
  readonly side: TradeSide;
  readonly amount: Decimal;
  /** Last price on the leader's exchange; null if it reported none. */
  readonly lastPrice: Decimal | null;
}

/**
 * Returns the strategy's open lots that have a signal up to the sequence `until` and for which the copier never placed an
 * order.
 */
export function openLeaderLots(
  tx: Tx,
  strategyId: string,
  copierId: string,
  until: number,
): Promise<LeaderLot[]> {
  return queryPrepared<LeaderLot>(
    tx,
    `SELECT l.trade_id AS "lotTradeId", last_signal.sequence::float8 AS "lastSequence", l.side,
       trim_scale(sum(l.open_amount))::text AS amount, trim_scale(p.last_price)::text AS "lastPrice"
     FROM lots l JOIN trade_pairs p ON p.id = l.trade_pair_id
     CROSS JOIN LATERAL (SELECT s.sequence FROM signals s WHERE s.lot_trade_id = l.trade_id AND s.sequence <= $3
                         ORDER BY s.sequence DESC LIMIT 1) last_signal
     WHERE l.exchange_account_id = (SELECT exchange_account_id FROM strategies WHERE id = $1)
       AND l.strategy_id = $1 AND l.copier_id IS NULL AND l.open_amount > 0
       AND NOT EXISTS (SELECT FROM copied_lots c
                       WHERE c.copier_id = $2 AND c.lot_trade_id = l.trade_id AND c.sent_amount > 0)
     GROUP BY l.trade_id, last_signal.sequence, l.side, p.last_price ORDER BY last_signal.sequence`,
    [strategyId, copierId, until],
  );
}
