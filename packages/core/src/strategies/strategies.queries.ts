import type { Tx } from '@trading-automation/persistence';

/** Returns true if the user has a copier of the strategy, or has copied it. */
export async function hasCopierOf(tx: Tx, userId: string, strategyId: string): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM copiers WHERE user_id = $1 AND strategy_id = $2
     UNION ALL SELECT FROM trades WHERE user_id = $1 AND coalesce(strategy_id, copied_strategy_id) = $2 LIMIT 1`,
    [userId, strategyId],
  );
  return rows.length > 0;
}

/** Returns whether a copier of a user other than the owner ever followed the strategy. */
export async function wasCopied(tx: Tx, strategyId: string): Promise<boolean> {
  const rows = await tx.query('SELECT FROM copied_strategies WHERE strategy_id = $1', [strategyId]);
  return rows.length > 0;
}

export interface StrategyPair {
  readonly id: string;
  readonly exchange: string;
  readonly trading_type: string;
}

/** Loads trade pairs by id. Unknown ids are absent from the map. */
export async function loadStrategyPairs(tx: Tx, ids: readonly string[]): Promise<Map<string, StrategyPair>> {
  const rows: StrategyPair[] = await tx.query(
    'SELECT id, exchange, trading_type FROM trade_pairs WHERE id = ANY ($1)',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
