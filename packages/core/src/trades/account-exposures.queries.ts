import { type Database, queryPrepared } from '@trading-automation/persistence';

/** What depends on the state of an account. */
export interface AccountExposure {
  /**
   * An open order that the exchange has acknowledged; else an open lot; else an active strategy or a running copier; else
   * nothing. An order without a response is looked up alone, for a tenth of what a comparison costs.
   */
  readonly kind: 'OPEN_ORDERS' | 'OPEN_LOTS' | 'IN_USE' | 'IDLE';
  /** Whether a running copier follows a strategy of the account, so that others wait for each of its fills. */
  readonly isFollowed: boolean;
}

/** Returns the exposures of accounts in input order; IDLE for accounts that do not exist. */
export async function accountExposures(
  database: Database,
  accountIds: readonly string[],
): Promise<readonly AccountExposure[]> {
  return queryPrepared<AccountExposure & Record<string, unknown>>(database.manager, EXPOSURES, [accountIds]);
}

/**
 * Returns the age in seconds of the oldest last reconciliation of these accounts; of an account that was never
 * reconciled, the age of the account. 0 without accounts.
 */
export async function oldestReconciliationAge(
  database: Database,
  accountIds: readonly string[],
): Promise<number> {
  const [row] = await queryPrepared<{ age: number }>(
    database.manager,
    `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(coalesce(r.reconciled_at, a.created_at))), 0)::float8 AS age
     FROM exchange_accounts a LEFT JOIN reconciliations r ON r.exchange_account_id = a.id
     WHERE a.id = ANY ($1) AND a.is_active AND a.deleted_at IS NULL`,
    [accountIds],
  );
  return row?.age ?? 0;
}

const EXPOSURES = `SELECT CASE
    WHEN EXISTS (SELECT FROM trades t WHERE t.user_id = a.user_id AND t.exchange_account_id = a.id
                 AND t.status IN ('PENDING', 'PARTIALLY_FILLED') AND t.acknowledged_at IS NOT NULL) THEN 'OPEN_ORDERS'
    WHEN EXISTS (SELECT FROM lots l WHERE l.exchange_account_id = a.id AND l.open_amount > 0) THEN 'OPEN_LOTS'
    WHEN EXISTS (SELECT FROM strategies s WHERE s.exchange_account_id = a.id AND s.deleted_at IS NULL
                 AND s.status = 'ACTIVE')
      OR EXISTS (SELECT FROM copiers c WHERE c.exchange_account_id = a.id AND c.deleted_at IS NULL
                 AND c.status <> 'PAUSED') THEN 'IN_USE'
    ELSE 'IDLE' END AS kind,
    EXISTS (SELECT FROM strategies s JOIN copiers c ON c.strategy_id = s.id
            WHERE s.exchange_account_id = a.id AND s.deleted_at IS NULL AND s.status = 'ACTIVE'
              AND c.deleted_at IS NULL AND c.status <> 'PAUSED') AS "isFollowed"
  FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (id, place)
  LEFT JOIN exchange_accounts a ON a.id = asked.id ORDER BY asked.place`;
