import { type Trade, trade as tradeSchema } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { emitEvents } from '../operations/index.js';
import { TradeEntity } from './trade.entity.js';
import { viewTrade } from './trade.view.js';

/**
 * Stores for each ended trade when the last of its lots was closed, and its profit or loss. The profit or loss is the
 * sum over its lots, rounded to 18 decimals. A trade that opened no lot is never closed. A late fill may reopen a
 * closed trade or change its profit or loss.
 *
 * @returns the ids of the closed trades for which `trade.closed` was never emitted
 */
export async function markClosedTrades(tx: Tx, tradeIds: readonly string[]): Promise<readonly string[]> {
  if (tradeIds.length === 0) return [];
  const rows = await queryPrepared<{ id: string; needsEvent: boolean }>(
    tx,
    `WITH ended AS MATERIALIZED (
       SELECT id, is_closing_told FROM trades
       WHERE id = ANY ($1) AND status IN ('FILLED', 'CANCELLED') ORDER BY id FOR NO KEY UPDATE),
     now AS (
       SELECT ended.id, ended.is_closing_told AS was_emitted,
         CASE WHEN opened.is_offset THEN opened.closed_at END AS closed_at,
         CASE WHEN opened.is_offset THEN opened.pnl END AS pnl
       FROM ended
       CROSS JOIN LATERAL (
         SELECT bool_and(open_amount = 0) AS is_offset, max(closed_at) AS closed_at, round(sum(pnl), 18) AS pnl
         FROM lots WHERE trade_id = ended.id) AS opened)
     UPDATE trades t SET closed_at = now.closed_at, realized_pnl = now.pnl,
       is_closing_told = t.is_closing_told OR now.closed_at IS NOT NULL,
       version = t.version + 1, updated_at = clock_timestamp()
     FROM now
     WHERE t.id = now.id AND (t.closed_at, t.realized_pnl) IS DISTINCT FROM (now.closed_at, now.pnl)
     RETURNING t.id, NOT now.was_emitted AND t.closed_at IS NOT NULL AS "needsEvent"`,
    [tradeIds],
  );
  return rows.filter(({ needsEvent }) => needsEvent).map(({ id }) => id);
}

/** Emits `trade.closed` for each trade, in the order of closing. */
export async function emitTradesClosed(tx: Tx, tradeIds: readonly string[]): Promise<void> {
  if (tradeIds.length === 0) return;
  const trades = await tx.find(TradeEntity, {
    where: { id: In([...tradeIds]) },
    order: { closedAt: 'ASC', id: 'ASC' },
  });
  await emitEvents(
    tx,
    trades.map((trade) => ({
      userId: trade.userId,
      type: 'trade.closed' as const,
      schema: tradeSchema,
      record: viewTrade(trade) satisfies Trade,
    })),
  );
}
