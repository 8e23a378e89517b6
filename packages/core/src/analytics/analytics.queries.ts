import type { TradeSide, TradeStatus, TradingType } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

/** Whose trades, and which of them; uuids. What is not given restricts nothing. */
export interface Selection {
  readonly userId: string;
  readonly accountId: string | undefined;
  readonly pairId: string | undefined;
  readonly strategyId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** A copy counts for the strategy that it was made for. */
const STRATEGY = 'coalesce(t.strategy_id, t.copied_strategy_id)';

export interface TradeCount {
  readonly pairId: string;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tradingType: TradingType;
  readonly strategyId: string | null;
  readonly status: TradeStatus;
  /** Created in the range, and of the strategy where one is asked for. */
  readonly count: number;
}

/** Trades by pair, strategy and state; every pair that has any, with what a book has to know of it. */
export async function countTrades(tx: Tx, selection: Selection): Promise<readonly TradeCount[]> {
  const { userId, accountId, pairId, strategyId, from, to } = selection;
  return tx.query(
    `SELECT c.*, p.symbol, p.base, p.quote, p.trading_type AS "tradingType"
     FROM (SELECT t.trade_pair_id AS "pairId", ${STRATEGY} AS "strategyId", t.status,
             count(*) FILTER (WHERE ($4::uuid IS NULL OR ${STRATEGY} = $4)
               AND ($5::timestamptz IS NULL OR t.created_at >= $5)
               AND ($6::timestamptz IS NULL OR t.created_at < $6))::int AS count
           FROM trades t
           WHERE t.user_id = $1 AND ($2::uuid IS NULL OR t.exchange_account_id = $2)
             AND ($3::uuid IS NULL OR t.trade_pair_id = $3)
           GROUP BY 1, 2, 3) c
     JOIN trade_pairs p ON p.id = c."pairId"
     ORDER BY p.symbol, c."pairId", c."strategyId", c.status`,
    [userId, accountId ?? null, pairId ?? null, strategyId ?? null, from ?? null, to ?? null],
  );
}

/** A fill with what its lot has to know of its trade. */
export interface FillRow {
  readonly accountId: string;
  readonly pairId: string;
  readonly strategyId: string | null;
  readonly tradeId: string;
  readonly exchangeFillId: string;
  readonly side: TradeSide;
  readonly price: string;
  readonly amount: string;
  readonly feeAmount: string;
  readonly feeCurrency: string;
  readonly executedAt: Date;
  readonly tradeFilledAmount: string;
  readonly hasTradeEnded: boolean;
}

/** Few enough that others are served in between. */
const FILLS_AT_ONCE = 1_000;

/**
 * The selection's fills from the first one on, in the order of their execution, a thousand at a time: whatever is
 * read is given on before the next is. With a strategy, all fills of the books that it traded in, since any of them may
 * have closed its lots.
 */
export async function* fillsInOrder(tx: Tx, selection: Selection): AsyncGenerator<readonly FillRow[]> {
  const { userId, accountId, pairId, strategyId, to } = selection;
  await tx.query(
    `DECLARE fills_in_order NO SCROLL CURSOR FOR
     SELECT f.exchange_account_id AS "accountId", t.trade_pair_id AS "pairId", ${STRATEGY} AS "strategyId",
       f.trade_id AS "tradeId", f.exchange_fill_id AS "exchangeFillId", t.side, f.price, f.amount,
       f.fee_amount AS "feeAmount", f.fee_currency AS "feeCurrency", f.executed_at AS "executedAt",
       t.filled_amount AS "tradeFilledAmount",
       t.status IN ('FILLED', 'CANCELLED', 'FAILED') AS "hasTradeEnded"
     FROM fills f JOIN trades t ON t.id = f.trade_id
     WHERE f.exchange_account_id = ANY (
         ARRAY (SELECT id FROM exchange_accounts WHERE user_id = $1 AND ($2::uuid IS NULL OR id = $2)))
       AND ($3::uuid IS NULL OR t.trade_pair_id = $3)
       AND ($4::uuid IS NULL OR (t.exchange_account_id, t.trade_pair_id) IN (
         SELECT t.exchange_account_id, t.trade_pair_id FROM trades t WHERE t.user_id = $1 AND ${STRATEGY} = $4))
       AND ($5::timestamptz IS NULL OR f.executed_at < $5)
     ORDER BY f.executed_at, f.id`,
    [userId, accountId ?? null, pairId ?? null, strategyId ?? null, to ?? null],
  );
  for (;;) {
    const rows: FillRow[] = await tx.query(`FETCH ${FILLS_AT_ONCE} FROM fills_in_order`);
    if (rows.length > 0) yield rows;
    if (rows.length < FILLS_AT_ONCE) break;
  }
  await tx.query('CLOSE fills_in_order');
}
