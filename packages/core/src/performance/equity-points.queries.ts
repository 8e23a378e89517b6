import type { Tx } from '@trading-automation/persistence';
import type { EquityPoint } from './equity-history.rules.js';

/**
 * Selects snapshots that satisfy `condition`: the last snapshot of each day, account and currency, and the first of each
 * account and currency.
 */
const equityPointsWhere = (condition: string) => `
  SELECT "accountId", currency, "takenAt", amount FROM (
    SELECT exchange_account_id AS "accountId", currency, taken_at AS "takenAt", amount,
      (period AT TIME ZONE 'UTC')::date AS day, lag(period) OVER recorded AS earlier,
      (lead(period) OVER recorded AT TIME ZONE 'UTC')::date AS day_of_later
    FROM equity_snapshots WHERE ${condition}
    WINDOW recorded AS (PARTITION BY exchange_account_id, currency ORDER BY period)) s
  WHERE earlier IS NULL OR day_of_later IS DISTINCT FROM day`;

const POINTS_OF_ACCOUNTS = `SELECT "accountId", "takenAt", amount FROM (${equityPointsWhere(
  'exchange_account_id = ANY ($1) AND currency = $2 AND ($3::timestamptz IS NULL OR taken_at < $3)',
)}) AS points ORDER BY "takenAt"`;

/**
 * Returns the last snapshot of each day and account, and the first snapshot of each account, oldest first. If `before`
 * is set, ignores snapshots from that instant on.
 */
export async function equityPoints(
  tx: Tx,
  accountIds: readonly string[],
  currency: string,
  before: Date | undefined,
): Promise<readonly EquityPoint[]> {
  return tx.query(POINTS_OF_ACCOUNTS, [accountIds, currency, before ?? null]);
}
