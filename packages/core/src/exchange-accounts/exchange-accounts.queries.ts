import type { Tx } from '@trading-automation/persistence';

/** Whether anything of the account is open at the exchange, or on its way there. */
export async function hasOpenTrades(tx: Tx, accountId: string): Promise<boolean> {
  const [{ is_open }] = await tx.query(
    `SELECT EXISTS (SELECT FROM trades WHERE exchange_account_id = $1
                    AND status IN ('PENDING', 'PARTIALLY_FILLED')) AS is_open`,
    [accountId],
  );
  return is_open;
}
