import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** What is open of what one trade opened; of copies, what one copier holds of one lot of the leader. */
export interface OpenLot {
  readonly userId: string;
  readonly accountId: string;
  readonly pairId: string;
  readonly symbol: string;
  /** BUY: held; SELL: owed. */
  readonly side: TradeSide;
  readonly copierId: string | null;
  /** Of copies the copied strategy. */
  readonly strategyId: string | null;
  /** The trade that opened it; of copies the leader's. */
  readonly lotTradeId: string;
  /** In base currency, net of fees in it. */
  readonly amount: Decimal;
  /** What it cost, or brought, in quote currency, with the fees in it. */
  readonly value: Decimal;
  /** `value / amount`, rounded to 18 decimals. */
  readonly averagePrice: Decimal;
  /** Whether something else than the copier's exits has taken of it. */
  readonly isDetached: boolean;
  readonly openedAt: Date;
}

export interface Held {
  /** In base currency; 0 where nothing is held. */
  readonly amount: Decimal;
  /** What it cost, in quote currency. */
  readonly value: Decimal;
  readonly isDetached: boolean;
}

/** Whose lots: exactly one of them. */
export type LotsOf =
  | { readonly copierId: string }
  | { readonly accountId: string }
  | { readonly userId: string };

const COLUMN_OF = {
  copierId: 'copier_id',
  accountId: 'exchange_account_id',
  userId: 'user_id',
} as const;

/** What is open, oldest first, as of the last booking. */
export async function openLotsOf(tx: Tx, owner: LotsOf): Promise<readonly OpenLot[]> {
  const [[member, id]] = Object.entries(owner) as [[keyof typeof COLUMN_OF, string]];
  return queryPrepared<OpenLot>(
    tx,
    `SELECT user_id AS "userId", exchange_account_id AS "accountId", trade_pair_id AS "pairId", symbol, side,
       copier_id AS "copierId", strategy_id AS "strategyId",
       coalesce(source_trade_id, trade_id) AS "lotTradeId", trim_scale(sum(open_amount))::text AS amount,
       trim_scale(sum(open_value))::text AS value,
       trim_scale(round(sum(open_value) / sum(open_amount), 18))::text AS "averagePrice",
       bool_or(is_detached) AS "isDetached", min(opened_at) AS "openedAt"
     FROM lots WHERE open_amount > 0 AND ${COLUMN_OF[member]} = $1
     GROUP BY user_id, exchange_account_id, trade_pair_id, symbol, side, copier_id, strategy_id,
       coalesce(source_trade_id, trade_id)
     ORDER BY min(opened_at), coalesce(source_trade_id, trade_id)`,
    [id],
  );
}

const NOTHING: Held = { amount: '0', value: '0', isDetached: false };

/** What a copier holds of the lot that the leader's trade opened. */
export async function heldOf(tx: Tx, copierId: string, lotTradeId: string): Promise<Held> {
  const held = await heldBy(tx, [copierId], lotTradeId);
  return held.get(copierId) ?? NOTHING;
}

/** As `heldOf`, for many copiers of one lot; those that hold nothing are left out. */
export async function heldBy(
  tx: Tx,
  copierIds: readonly string[],
  lotTradeId: string,
): Promise<ReadonlyMap<string, Held>> {
  const rows = await queryPrepared<Held & { readonly copierId: string }>(
    tx,
    `SELECT copier_id AS "copierId", trim_scale(sum(open_amount))::text AS amount,
       trim_scale(sum(open_value))::text AS value, bool_or(is_detached) AS "isDetached"
     FROM lots WHERE open_amount > 0 AND copier_id IS NOT NULL AND source_trade_id = $2 AND copier_id = ANY ($1)
     GROUP BY copier_id`,
    [copierIds, lotTradeId],
  );
  return new Map(
    rows.map(({ copierId, amount, value, isDetached }) => [copierId, { amount, value, isDetached }]),
  );
}
