import { BROWSER_SESSION_HOURS, type Permission } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { readParentRights } from '../access/index.js';
import type { Actor } from '../operations/index.js';

/** The credential that approves a browser session, with the rights and times that limit the session. */
export interface Approver {
  readonly kind: 'api_key' | 'public_key' | 'session';
  /** A uuid. */
  readonly id: string;
  readonly issuedAt: Date;
  readonly approvedAt: Date;
  readonly permissions: readonly Permission[];
  readonly ipAllowlist: readonly string[];
  /** When the approval ends: that of the credential, and at most 12 h after the approval. */
  readonly expiresAt: Date;
}

/**
 * Reads who approves a session that this caller opens. Call under the user's lock. A session that a browser session opens
 * has the same approver and time of approval, so that no chain of sessions lasts longer than one.
 *
 * @throws {DomainError} the error that authentication would return now, if the caller's credential ended;
 *   `permission_denied` if the caller is a session that was approved too long ago
 */
export async function readApprover(tx: Tx, actor: Actor): Promise<Approver> {
  await readParentRights(tx, actor);
  const { kind, id, permissions } = actor.credential;
  const [row] = await tx.query(
    `SELECT 'api_key' AS kind, id, coalesce(rotated_at, created_at) AS issued_at, clock_timestamp() AS approved_at,
       ip_allowlist, expires_at FROM api_keys WHERE $2 = 'api_key' AND id = $1
     UNION ALL
     SELECT 'public_key', id, created_at, clock_timestamp(), '{}', NULL FROM public_keys
     WHERE $2 = 'public_key' AND id = $1
     UNION ALL
     SELECT 'session', id, created_at, clock_timestamp(), '{}', expires_at FROM sessions
     WHERE $2 = 'session' AND id = $1
     UNION ALL
     SELECT approver_kind, approver_id, approver_issued_at, approved_at, ip_allowlist, expires_at
     FROM browser_sessions WHERE $2 = 'browser_session' AND id = $1`,
    [id, kind],
  );
  const latest = new Date(row.approved_at.getTime() + BROWSER_SESSION_HOURS * 3_600_000);
  return {
    kind: row.kind,
    id: row.id,
    issuedAt: row.issued_at,
    approvedAt: row.approved_at,
    permissions,
    ipAllowlist: row.ip_allowlist,
    expiresAt: row.expires_at !== null && row.expires_at < latest ? row.expires_at : latest,
  };
}
