/** What other features read of positions: the settings and the mark price of markets, and the margin of accounts. */
import type { Decimal, MarginMode, PositionSide } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** The settings of an account for a perpetual, and the position there. Null: not known yet. */
export interface MarketSettings {
  readonly exchangeAccountId: string;
  readonly tradePairId: string;
  readonly leverage: Decimal | null;
  readonly marginMode: MarginMode | null;
  readonly markPrice: Decimal | null;
  readonly side: PositionSide | null;
  /** In base currency; 0 without a position. */
  readonly amount: Decimal;
  /** The exchange's time of the report that the position and the mark price are of. */
  readonly reportedAt: Date | null;
}

/** Returns the settings of accounts for pairs. A market that was neither set nor traded has no row. */
export function marketSettings(
  tx: Tx,
  keys: readonly { readonly exchangeAccountId: string; readonly tradePairId: string }[],
): Promise<MarketSettings[]> {
  return queryPrepared<MarketSettings & Record<string, unknown>>(
    tx,
    `SELECT p.exchange_account_id AS "exchangeAccountId", p.trade_pair_id AS "tradePairId", trim_scale(p.leverage)::text AS leverage,
       p.margin_mode AS "marginMode", trim_scale(p.mark_price)::text AS "markPrice", p.side, trim_scale(p.amount)::text AS amount,
       p.reported_at AS "reportedAt"
     FROM unnest($1::uuid[], $2::uuid[]) AS key (account, pair)
     JOIN positions p ON p.exchange_account_id = key.account AND p.trade_pair_id = key.pair`,
    [keys.map(({ exchangeAccountId }) => exchangeAccountId), keys.map(({ tradePairId }) => tradePairId)],
  );
}

/** The cross margin of an account, as its exchange last reported it. */
export interface PositionMargin {
  readonly currency: string;
  /** The wallet with the open result of all positions. */
  readonly equity: Decimal;
  /** What new orders may use. */
  readonly available: Decimal;
  readonly maintenanceMargin: Decimal;
  readonly readAt: Date;
}

/** Returns the margin of an account; null if it was never read. */
export async function positionMargin(tx: Tx, accountId: string): Promise<PositionMargin | null> {
  const [row] = await queryPrepared<PositionMargin & Record<string, unknown>>(
    tx,
    `SELECT currency, trim_scale(equity)::text AS equity, trim_scale(available)::text AS available,
       trim_scale(maintenance_margin)::text AS "maintenanceMargin", read_at AS "readAt"
     FROM account_margins WHERE exchange_account_id = $1`,
    [accountId],
  );
  return row ?? null;
}
