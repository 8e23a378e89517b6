import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';
import { IDLE } from './browser-session-end.js';
import type { CredentialRights } from './child-rights.rules.js';

const ERROR_CODES = {
  api_key: 'invalid_api_key',
  public_key: 'unknown_public_key',
  session: 'invalid_access_token',
  browser_session: 'unknown_public_key',
} as const satisfies Record<Actor['credential']['kind'], string>;

/** For this time after its sign-in, a session creates credentials. */
const APPROVAL_MINUTES = 15;

/**
 * Reads the rights that a credential created by this caller may have at most. Call under the user's lock, which a
 * revocation also holds: otherwise a thief whose credential is revoked during the request could keep access.
 *
 * The statement has one member for each kind of credential; a credential that no longer works has no row. The parent of
 * what a browser session creates is the credential that approved the session, so the member of browser sessions
 * selects the rights of the approver. The parent of what a sign-in session creates is the sign-in itself, which does not
 * expire: a user who has only a password can so link a public key. A session creates credentials only within 15 minutes
 * of its sign-in; a refresh does not extend that time.
 *
 * @throws {DomainError} the error that authentication would return now, if the caller's credential ended;
 *   `permission_denied` if the sign-in is too old
 */
export async function readParentRights(
  tx: Tx,
  { credential: { kind, id } }: Actor,
): Promise<CredentialRights> {
  const [row] = await tx.query(
    `SELECT permissions, expires_at, ip_allowlist, false AS is_too_old FROM api_keys
     WHERE $2 = 'api_key' AND id = $1 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > clock_timestamp())
     UNION ALL
     SELECT '{ADMIN}', NULL, '{}', false FROM public_keys WHERE $2 = 'public_key' AND id = $1 AND revoked_at IS NULL
     UNION ALL
     SELECT '{ADMIN}', NULL, '{}', created_at < clock_timestamp() - ${APPROVAL_MINUTES} * interval '1 minute' FROM sessions
     WHERE $2 = 'session' AND id = $1 AND revoked_at IS NULL AND expires_at > clock_timestamp()
     UNION ALL
     SELECT CASE WHEN b.approver_kind = 'api_key' THEN k.permissions ELSE '{ADMIN}' END, k.expires_at,
       coalesce(k.ip_allowlist, '{}'), b.approved_at < clock_timestamp() - ${APPROVAL_MINUTES} * interval '1 minute'
     FROM browser_sessions b LEFT JOIN api_keys k ON b.approver_kind = 'api_key' AND k.id = b.approver_id
     WHERE $2 = 'browser_session' AND b.id = $1 AND b.revoked_at IS NULL AND b.expires_at > clock_timestamp()
       AND b.last_used_at + ${IDLE} > clock_timestamp()`,
    [id, kind],
  );
  if (row === undefined) throw new DomainError(ERROR_CODES[kind]);
  if (row.is_too_old) throw approvalTooOld();
  return { permissions: row.permissions, expiresAt: row.expires_at, ipAllowlist: row.ip_allowlist };
}

function approvalTooOld(): DomainError {
  const message = `A session creates, rotates and links credentials only within ${APPROVAL_MINUTES} minutes of its sign-in or approval. Sign in again.`;
  return new DomainError('permission_denied', message, [{ code: 'approval_too_old', message }]);
}
