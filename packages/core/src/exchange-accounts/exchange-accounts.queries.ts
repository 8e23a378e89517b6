import type { Tx } from '@trading-automation/persistence';

/** Returns whether the account has open trades, sent or not. Uses the index of open trades by user. */
async function hasOpenTrades(tx: Tx, accountId: string): Promise<boolean> {
  const [{ is_open }] = await tx.query(
    `SELECT EXISTS (SELECT FROM trades
       WHERE user_id = (SELECT user_id FROM exchange_accounts WHERE id = $1) AND exchange_account_id = $1
         AND status IN ('PENDING', 'PARTIALLY_FILLED')) AS is_open`,
    [accountId],
  );
  return is_open;
}

/** A use of an account that prevents its removal. */
export type AccountUse = 'OPEN_TRADES' | 'OPEN_LOTS' | 'ACTIVE_STRATEGY' | 'RUNNING_COPIER';

/**
 * Returns one use that prevents the removal of the account, or null. In this folder, only this function reads lots,
 * strategies and copiers.
 */
export async function findAccountUse(tx: Tx, accountId: string): Promise<AccountUse | null> {
  if (await hasOpenTrades(tx, accountId)) return 'OPEN_TRADES';
  const [{ has_lots, has_strategy, has_copier }] = await tx.query(
    `SELECT EXISTS (SELECT FROM lots WHERE exchange_account_id = $1 AND open_amount > 0) AS has_lots,
       EXISTS (SELECT FROM strategies WHERE exchange_account_id = $1 AND deleted_at IS NULL
                    AND status = 'ACTIVE') AS has_strategy,
       EXISTS (SELECT FROM copiers WHERE exchange_account_id = $1 AND deleted_at IS NULL
               AND status <> 'PAUSED') AS has_copier`,
    [accountId],
  );
  if (has_lots) return 'OPEN_LOTS';
  if (has_strategy) return 'ACTIVE_STRATEGY';
  return has_copier ? 'RUNNING_COPIER' : null;
}
