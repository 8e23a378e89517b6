import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import type { CredentialRights } from './child-rights.rules.js';

const ERROR_CODES = {
  api_key: 'invalid_api_key',
  public_key: 'unknown_public_key',
  session: 'invalid_access_token',
} as const satisfies Record<Actor['credential']['kind'], string>;

/**
 * Reads the rights that a credential created by this caller may have at most. Call under the user's lock, which a
 * revocation also holds: otherwise a thief whose credential is revoked during the request could keep access.
 *
 * The statement has one member for each kind of credential; a credential that no longer works has no row. The parent of
 * what a browser session creates is the credential that approved the session, so the member of browser sessions
 * selects the rights of the approver.
 *
 * @throws {DomainError} the error that authentication would return now, if the caller's credential ended
 */
export async function readParentRights(
  tx: Tx,
  { credential: { kind, id } }: Actor,
): Promise<CredentialRights> {
  const [row] = await tx.query(
    `SELECT permissions, expires_at, ip_allowlist FROM api_keys
     WHERE $2 = 'api_key' AND id = $1 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > clock_timestamp())
     UNION ALL
     SELECT '{ADMIN}', NULL, '{}' FROM public_keys WHERE $2 = 'public_key' AND id = $1 AND revoked_at IS NULL
     UNION ALL
     SELECT '{ADMIN}', expires_at, '{}' FROM sessions
     WHERE $2 = 'session' AND id = $1 AND revoked_at IS NULL AND expires_at > clock_timestamp()`,
    [id, kind],
  );
  if (row === undefined) throw new DomainError(ERROR_CODES[kind]);
  return { permissions: row.permissions, expiresAt: row.expires_at, ipAllowlist: row.ip_allowlist };
}
