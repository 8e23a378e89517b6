import { DomainError, type Permission } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { IS_OPEN_SESSION } from '../access/index.js';
import { limitReached } from '../operations/index.js';
import type { Approver } from './approver.queries.js';
import { BrowserSessionEntity } from './browser-session.entity.js';

/** The most browser sessions that a user may have open at the same time. */
const SESSIONS_MAX = 20;

export interface SessionRequest {
  readonly userId: string;
  readonly pubkey: string;
  readonly clientName: string;
  readonly address: string;
  readonly permissions: readonly Permission[];
}

/**
 * Stores a browser session. The caller holds the user's lock.
 *
 * @throws {DomainError} `already_exists` if the public key is in use; `limit_reached` if the user has 20 open sessions
 */
export async function openSession(
  tx: Tx,
  { userId, pubkey, clientName, address, permissions }: SessionRequest,
  approver: Approver,
): Promise<BrowserSessionEntity> {
  await assertKeyUnused(tx, pubkey);
  const [{ count }] = await tx.query(
    `SELECT count(*)::int AS count FROM browser_sessions WHERE user_id = $1 AND ${IS_OPEN_SESSION}`,
    [userId],
  );
  if (count >= SESSIONS_MAX) throw limitReached('open browser sessions', SESSIONS_MAX);
  const [{ now }] = await tx.query('SELECT clock_timestamp() AS now');
  return tx.save(
    tx.create(BrowserSessionEntity, {
      id: newUuid(),
      userId,
      pubkey,
      clientName,
      address,
      permissions: [...new Set(permissions)],
      ipAllowlist: [...approver.ipAllowlist],
      approverKind: approver.kind,
      approverId: approver.id,
      approverIssuedAt: approver.issuedAt,
      approvedAt: approver.approvedAt,
      lastUsedAt: now,
      expiresAt: approver.expiresAt,
      revokedAt: null,
    }),
  );
}

/**
 * Asserts that no public key or session uses the key pair: a signature identifies one credential.
 *
 * @throws {DomainError} `already_exists`
 */
export async function assertKeyUnused(tx: Tx, pubkey: string): Promise<void> {
  const used = await tx.query(
    `SELECT FROM public_keys WHERE pubkey = $1 AND revoked_at IS NULL
     UNION ALL SELECT FROM browser_sessions WHERE pubkey = $1`,
    [pubkey],
  );
  if (used.length === 0) return;
  const message = 'The key pair is in use. Make a new key pair for each session.';
  throw new DomainError('already_exists', undefined, [{ field: 'pubkey', code: 'already_exists', message }]);
}
