import type { Decimal } from '@trading-automation/contracts';
import type { VenueFill } from '@trading-automation/exchanges';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { TradeEntity } from './trade.entity.js';

/**
 * What trades have taken out of the account's free balance since it was read: those that the exchange had not
 * confirmed by then. Those that it had are in the balance already. A trade that came to nothing takes nothing.
 */
export async function reservedSinceBalances(tx: Tx, accountId: string, asset: string): Promise<Decimal> {
  const [sum] = await queryPrepared<{ reserved: Decimal }>(
    tx,
    `SELECT coalesce(sum(t.reserved_amount), 0)::text AS reserved
     FROM trades t JOIN exchange_accounts a ON a.id = t.exchange_account_id
     WHERE t.exchange_account_id = $1 AND t.reserved_asset = $2 AND t.reserved_amount > 0
       AND t.status <> 'FAILED' AND NOT (t.status = 'CANCELLED' AND t.filled_amount = 0)
       AND (t.acknowledged_at IS NULL OR t.acknowledged_at >= a.balances_taken_at)`,
    [accountId, asset],
  );
  return sum!.reserved;
}

/** Open trades that are due for a look, which nobody else looks at for `leaseMs`. */
export async function takeDueLooks(tx: Tx, leaseMs: number, limit: number): Promise<string[]> {
  const [rows] = await tx.query(
    `UPDATE trades SET look_at = clock_timestamp() + $1 * interval '1 millisecond'
     WHERE id IN (SELECT id FROM trades
                  WHERE status IN ('PENDING', 'PARTIALLY_FILLED') AND look_at <= clock_timestamp()
                  ORDER BY look_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [leaseMs, limit],
  );
  return (rows as { id: string }[]).map(({ id }) => id);
}

export interface TradeChanges {
  readonly submittedNow?: boolean;
  readonly acknowledgedNow?: boolean;
  readonly endedNow?: boolean;
  /** When the next look is due; as before unless given. */
  readonly lookInMs?: number;
  /** Whether readers see something new; true unless given. */
  readonly isChanged?: boolean;
}

/** Writes the trade; every instant is the database's. */
export async function updateTrade(tx: Tx, trade: TradeEntity, changes: TradeChanges): Promise<void> {
  const {
    submittedNow = false,
    acknowledgedNow = false,
    endedNow = false,
    lookInMs = null,
    isChanged = true,
  } = changes;
  await tx.query(
    `UPDATE trades SET
       status = $2, sub_status = $3, cancel_reason = $4, failure_code = $5, failure_message = $6,
       filled_amount = $7, cost = $8, fees = $9, exchange_order_id = $10, venue_client_order_id = $11, probes = $12,
       submitted_at = CASE WHEN $13 THEN clock_timestamp() ELSE submitted_at END,
       acknowledged_at = CASE WHEN $14 THEN clock_timestamp() ELSE acknowledged_at END,
       filled_at = CASE WHEN $15 AND $2 = 'FILLED' THEN clock_timestamp() ELSE filled_at END,
       cancelled_at = CASE WHEN $15 AND $2 = 'CANCELLED' THEN clock_timestamp() ELSE cancelled_at END,
       look_at = coalesce(clock_timestamp() + $16::float8 * interval '1 millisecond', look_at),
       version = version + $17, updated_at = CASE WHEN $17 = 1 THEN clock_timestamp() ELSE updated_at END
     WHERE id = $1`,
    [
      trade.id,
      trade.status,
      trade.subStatus,
      trade.cancelReason,
      trade.failureCode,
      trade.failureMessage,
      trade.filledAmount,
      trade.cost,
      JSON.stringify(trade.fees),
      trade.exchangeOrderId,
      trade.venueClientOrderId,
      trade.probes,
      submittedNow,
      acknowledgedNow,
      endedNow,
      lookInMs,
      isChanged ? 1 : 0,
    ],
  );
}

/**
 * Keeps the wish to cancel open trades that were sent. One that the exchange has told of is due for a look at once;
 * another is looked at when its answer is overdue, as it would have been.
 */
export async function keepWishesToCancel(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE trades SET sub_status = 'PENDING_CANCEL',
       look_at = CASE WHEN acknowledged_at IS NULL THEN look_at ELSE least(look_at, clock_timestamp()) END,
       version = CASE WHEN sub_status = 'PENDING_CANCEL' THEN version ELSE version + 1 END,
       updated_at = CASE WHEN sub_status = 'PENDING_CANCEL' THEN updated_at ELSE clock_timestamp() END
     WHERE id = ANY ($1)`,
    [ids],
  );
}

/** Keeps the fills that are not known yet; an order is told of with all of its fills at each look. */
export async function insertFills(tx: Tx, trade: TradeEntity, fills: readonly VenueFill[]): Promise<void> {
  if (fills.length === 0) return;
  await tx.query(
    `INSERT INTO fills (id, trade_id, exchange_account_id, symbol, exchange_fill_id, price, amount, fee_amount,
       fee_currency, liquidity, executed_at)
     SELECT id, $2, $3, $4, exchange_fill_id, price, amount, fee_amount, fee_currency, liquidity, executed_at
     FROM unnest($1::uuid[], $5::text[], $6::numeric[], $7::numeric[], $8::numeric[], $9::text[], $10::text[],
       $11::timestamptz[])
       AS told (id, exchange_fill_id, price, amount, fee_amount, fee_currency, liquidity, executed_at)
     ON CONFLICT (trade_id, exchange_fill_id) DO NOTHING`,
    [
      fills.map(() => newUuid()),
      trade.id,
      trade.exchangeAccountId,
      trade.symbol,
      fills.map(({ exchangeFillId }) => exchangeFillId),
      fills.map(({ price }) => price),
      fills.map(({ amount }) => amount),
      fills.map(({ fee }) => fee.amount),
      fills.map(({ fee }) => fee.currency),
      fills.map(({ liquidity }) => liquidity),
      fills.map(({ executedAt }) => executedAt),
    ],
  );
}

/** By the database's clock; false where it was not submitted. */
export async function wasSubmittedWithin(tx: Tx, id: string, withinMs: number): Promise<boolean> {
  const [{ is_young }] = await tx.query(
    `SELECT coalesce(submitted_at > clock_timestamp() - $2 * interval '1 millisecond', false) AS is_young
     FROM trades WHERE id = $1`,
    [id, withinMs],
  );
  return is_young;
}
