import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

/**
 * Throws if the account has no credential with ADMIN left, because nothing could recover such an account. Call after a
 * revocation, under the user's lock.
 *
 * @throws {DomainError} `invalid_state` if no credential with ADMIN is left
 */
export async function assertNotLastAdminCredential(tx: Tx, userId: string): Promise<void> {
  const [{ is_left }] = await tx.query(
    `SELECT EXISTS (SELECT FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL
                    AND 'ADMIN' = ANY (permissions) AND (expires_at IS NULL OR expires_at > now()))
         OR EXISTS (SELECT FROM public_keys WHERE user_id = $1 AND revoked_at IS NULL) AS is_left`,
    [userId],
  );
  if (is_left) return;
  const message = 'This is the last credential with ADMIN. Create another one first.';
  throw new DomainError('invalid_state', message, [
    { code: 'last_admin_credential', message, state: 'LAST_ADMIN' },
  ]);
}

const REVOCABLE = {
  api_key: { table: 'api_keys', code: 'invalid_api_key' },
  public_key: { table: 'public_keys', code: 'unknown_public_key' },
  session: { table: 'sessions', code: 'invalid_access_token' },
  browser_session: { table: 'browser_sessions', code: 'unknown_public_key' },
} as const;

/**
 * Throws if the caller's credential was revoked while the request was in flight. Otherwise a thief could create another
 * credential and keep access. Call under the user's lock, which a revocation also holds.
 *
 * @throws {DomainError} the error that authentication would return now
 */
export async function assertNotRevoked(tx: Tx, { credential: { kind, id } }: Actor): Promise<void> {
  const { table, code } = REVOCABLE[kind];
  const revoked = await tx.query(`SELECT FROM ${table} WHERE id = $1 AND revoked_at IS NOT NULL`, [id]);
  if (revoked.length > 0) throw new DomainError(code);
}
