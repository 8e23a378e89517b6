import type { Tx } from '@trading-automation/persistence';
import type { EquityPoint } from './equity-history.rules.js';

/** The last that was recorded of each day and account, and the first of each account; oldest first. */
export async function equityPoints(
  tx: Tx,
  accountIds: readonly string[],
  currency: string,
  before: Date | undefined,
): Promise<readonly EquityPoint[]> {
  return tx.query(
    `SELECT "accountId", "takenAt", amount FROM (
       SELECT exchange_account_id AS "accountId", taken_at AS "takenAt", amount,
         row_number() OVER (PARTITION BY exchange_account_id, (period AT TIME ZONE 'UTC')::date
                            ORDER BY period DESC) AS from_end,
         row_number() OVER (PARTITION BY exchange_account_id ORDER BY period) AS from_beginning
       FROM equity_snapshots
       WHERE exchange_account_id = ANY ($1) AND currency = $2 AND ($3::timestamptz IS NULL OR taken_at < $3)) s
     WHERE from_end = 1 OR from_beginning = 1 ORDER BY "takenAt"`,
    [accountIds, currency, before ?? null],
  );
}
