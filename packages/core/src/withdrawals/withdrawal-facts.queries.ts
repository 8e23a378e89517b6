import type { Decimal } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { addressStatusOf, type RequestFacts } from './withdrawal.rules.js';

/** A withdrawal that is requested. */
interface Request {
  readonly amount: Decimal;
  readonly walletAddress: string;
}

/**
 * Reads the facts about a withdrawal that is requested now. Call under the user's lock, so that no concurrent request
 * adds to the sum of the day.
 *
 * The statement has one member for each kind of credential. A key counts from its last rotation, because rotation gives
 * its value to another holder. A browser session has the age of the credential that approved it.
 */
export async function readRequestFacts(
  tx: Tx,
  { userId, credential }: Actor,
  { amount, walletAddress }: Request,
): Promise<RequestFacts> {
  const [row] = await tx.query(
    `SELECT clock_timestamp() AS now, u.email_replaced_at, a.id AS address_id, a.confirmed_at, a.usable_at,
       (SELECT coalesce(sum(w.amount), 0)::text FROM withdrawals w
        WHERE w.user_id = u.id AND w.status NOT IN ('CANCELLED', 'FAILED')
          AND w.created_at >= date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
       ) AS withdrawn_today,
       (SELECT coalesce(rotated_at, created_at) FROM api_keys WHERE $3 = 'api_key' AND id = $4
        UNION ALL
        SELECT created_at FROM public_keys WHERE $3 = 'public_key' AND id = $4
        UNION ALL
        SELECT created_at FROM sessions WHERE $3 = 'session' AND id = $4
        UNION ALL
        SELECT approver_issued_at FROM browser_sessions WHERE $3 = 'browser_session' AND id = $4
       ) AS credential_issued_at
     FROM users u LEFT JOIN withdrawal_addresses a ON a.user_id = u.id AND lower(a.address) = lower($2)
     WHERE u.id = $1`,
    [userId, walletAddress, credential.kind, credential.id],
  );
  const entry = { confirmedAt: row.confirmed_at, usableAt: row.usable_at };
  return {
    now: row.now,
    amount,
    walletAddress,
    addressStatus: row.address_id === null ? null : addressStatusOf(entry, row.now),
    emailReplacedAt: row.email_replaced_at,
    withdrawnToday: row.withdrawn_today,
    credentialIssuedAt: row.credential_issued_at,
  };
}
