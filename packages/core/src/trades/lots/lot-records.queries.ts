/** Reads lots as their users see them, and what an order that closes a lot may take. */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { isFeeUnvalued } from '../../values/index.js';
import type { LotViewRow } from './lot.view.js';

/** Selects the columns of `LotViewRow` from `LOT_RECORDS`. */
export const LOT_RECORD_COLUMNS = `l.id, l.exchange_account_id AS "exchangeAccountId", l.trade_pair_id AS "tradePairId",
    l.symbol, l.copier_id AS "copierId", l.strategy_id AS "strategyId", l.source_trade_id AS "sourceTradeId",
    l.trade_id AS "tradeId", l.side, l.opened_amount AS "openedAmount", l.open_amount AS "openAmount",
    l.opened_value::text AS "openedValue", l.open_value::text AS "openValue", l.pnl::text AS pnl,
    l.is_detached AS "isDetached", l.opened_at AS "openedAt", l.closed_at AS "closedAt",
    p.trading_type AS "tradingType", o.price AS "entryPrice", p.last_price AS "lastPrice",
    closed.value::text AS "closedValue", closed.turnover::text AS "closedTurnover",
    funded.amount::text AS funding,
    coalesce(closed.is_unvalued, false) OR (${isFeeUnvalued('o')}) AS "hasUnvaluedFee"`;

/** Joins lots, under the alias `l`, with their pair, their opening fill and the sums of their closures and funding. */
export const LOT_RECORDS = `lots l JOIN trade_pairs p ON p.id = l.trade_pair_id JOIN fills o ON o.id = l.id
    CROSS JOIN LATERAL (
      SELECT sum(c.entry_value) AS value, sum(c.amount * x.price) AS turnover, bool_or(${isFeeUnvalued('x')}) AS is_unvalued
      FROM lot_closures c JOIN fills x ON x.id = c.fill_id WHERE c.lot_id = l.id) closed
    CROSS JOIN LATERAL (SELECT sum(f.amount) AS amount FROM lot_funding f WHERE f.lot_id = l.id) funded`;

const OWN_LOTS = `SELECT ${LOT_RECORD_COLUMNS} FROM ${LOT_RECORDS} WHERE l.id = ANY ($1) AND l.user_id = $2`;

/** Returns those of the lots that belong to the user. */
export function ownLots(tx: Tx, userId: string, ids: readonly string[]): Promise<LotViewRow[]> {
  return queryPrepared<LotViewRow>(tx, OWN_LOTS, [ids, userId]);
}

/** Returns whether the user has, or had, the copier. */
export async function ownsCopier(tx: Tx, userId: string, copierId: string): Promise<boolean> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    'SELECT id FROM copiers WHERE id = $1 AND user_id = $2',
    [copierId, userId],
  );
  return rows.length > 0;
}

/** What is left of a lot, and what orders in flight will take of it. */
export interface LotToClose {
  readonly side: TradeSide;
  readonly openAmount: Decimal;
  /** The most that a new order may close: no order in flight closes it already. */
  readonly availableAmount: Decimal;
}

/**
 * The amount of the lot that no order in flight closes. Orders in flight are those that close this lot, and for a copy
 * also the exits of its copier from the same lot of the strategy, which close the oldest copies first. $2 is null before
 * an order is placed. When it is sent, $2 is its trade; of the other orders that close lots, those that are sent, or that
 * $3 lists, then come first.
 */
const TO_CLOSE = `
  WITH lot AS (SELECT id, side, copier_id, source_trade_id, open_amount FROM lots WHERE id = $1),
  owned AS (
    SELECT l.id, l.open_amount FROM lots l, lot
    WHERE l.id = lot.id OR (lot.copier_id IS NOT NULL AND l.copier_id = lot.copier_id
      AND l.source_trade_id = lot.source_trade_id AND l.open_amount > 0 AND l.side = lot.side)),
  closing AS (
    SELECT t.closes_lot_id AS lot_id, sum(greatest(0, coalesce(t.capped_amount, t.amount) - t.filled_amount)) AS amount
    FROM trades t WHERE t.closes_lot_id IN (SELECT id FROM owned) AND t.status IN ('PENDING', 'PARTIALLY_FILLED')
      AND ($2::uuid IS NULL OR (t.id <> $2 AND (t.submitted_at IS NOT NULL OR t.id = ANY ($3))))
    GROUP BY 1),
  exiting AS (
    SELECT coalesce(sum(greatest(0, t.amount - t.filled_amount)), 0) AS amount FROM trades t, lot
    WHERE lot.copier_id IS NOT NULL AND t.copier_id = lot.copier_id AND t.source_trade_id = lot.source_trade_id
      AND t.side <> lot.side AND t.status IN ('PENDING', 'PARTIALLY_FILLED'))
  SELECT lot.side, lot.open_amount AS "openAmount", trim_scale(greatest(0, least(
      lot.open_amount - coalesce((SELECT amount FROM closing WHERE lot_id = lot.id), 0),
      (SELECT sum(open_amount) FROM owned) - coalesce((SELECT sum(amount) FROM closing), 0)
        - (SELECT amount FROM exiting))))::text AS "availableAmount"
  FROM lot`;

/**
 * Reads a lot to close, for an order that is about to be placed. The caller holds the locks of its account and of its lot
 * book.
 */
export async function readLotToClose(tx: Tx, id: string): Promise<LotToClose | undefined> {
  const [lot] = await queryPrepared<LotToClose>(tx, TO_CLOSE, [id, null, []]);
  return lot;
}

/**
 * Returns how much of its lot an order may close that is about to be sent. The caller holds the lock of the lot book.
 *
 * @param claimed other trades that are sent in the same transaction, and come first
 */
export async function closableAmount(
  tx: Tx,
  { id, closesLotId }: { readonly id: string; readonly closesLotId: string },
  claimed: readonly string[],
): Promise<Decimal> {
  const [lot] = await queryPrepared<LotToClose>(tx, TO_CLOSE, [closesLotId, id, claimed]);
  return lot?.availableAmount ?? '0';
}
