import { createHash } from 'node:crypto';
import type { DeviceAuthorization, Permission } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';

type AuthorizationStatus = DeviceAuthorization['status'];

/** A sign-in by code. */
export interface AuthorizationRow {
  readonly id: string;
  readonly client_name: string;
  readonly address: string;
  readonly permissions: Permission[];
  readonly pubkey: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly status: AuthorizationStatus;
  readonly session_id: string | null;
}

const COLUMNS = `id, client_name, address, permissions, pubkey, created_at, expires_at, session_id,
  CASE WHEN session_id IS NOT NULL THEN 'APPROVED' WHEN decided_by IS NOT NULL THEN 'DENIED'
       WHEN expires_at <= clock_timestamp() THEN 'EXPIRED' ELSE 'PENDING' END AS status`;

/** Returns the form in which a device code or a user code is stored. */
function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

export interface NewAuthorization {
  readonly id: string;
  readonly deviceCode: string;
  readonly userCode: string;
  readonly clientName: string;
  readonly address: string;
  readonly permissions: readonly Permission[];
  readonly pubkey: string;
  readonly validMinutes: number;
}

/** Stores a sign-in by code. Returns when it expires. */
export async function insertAuthorization(tx: Tx, authorization: NewAuthorization): Promise<Date> {
  const { id, deviceCode, userCode, clientName, address, permissions, pubkey, validMinutes } = authorization;
  const [row] = await tx.query(
    `INSERT INTO device_authorizations
       (id, device_code_hash, user_code_hash, client_name, address, permissions, pubkey, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 minute') RETURNING expires_at`,
    [id, hashCode(deviceCode), hashCode(userCode), clientName, address, permissions, pubkey, validMinutes],
  );
  return row.expires_at;
}

/** Finds and locks the sign-in that shows a user code. */
export async function findByUserCode(tx: Tx, userCode: string): Promise<AuthorizationRow | null> {
  const [row] = await tx.query(
    `SELECT ${COLUMNS} FROM device_authorizations WHERE user_code_hash = $1 FOR UPDATE`,
    [hashCode(userCode)],
  );
  return row ?? null;
}

/**
 * Finds the sign-in of a device code and notes the poll. `isTooEarly`: the last poll was less than `intervalSeconds` ago.
 */
export async function pollByDeviceCode(
  tx: Tx,
  deviceCode: string,
  intervalSeconds: number,
): Promise<(AuthorizationRow & { readonly isTooEarly: boolean }) | null> {
  const [row] = await tx.query(
    `SELECT ${COLUMNS},
       coalesce(last_polled_at > clock_timestamp() - $2 * interval '1 second', false) AS is_too_early
     FROM device_authorizations WHERE device_code_hash = $1 FOR UPDATE`,
    [hashCode(deviceCode), intervalSeconds],
  );
  if (row === undefined) return null;
  if (!row.is_too_early)
    await tx.query('UPDATE device_authorizations SET last_polled_at = clock_timestamp() WHERE id = $1', [
      row.id,
    ]);
  return { ...row, isTooEarly: row.is_too_early };
}

export async function decide(tx: Tx, id: string, userId: string, sessionId: string | null): Promise<void> {
  await tx.query('UPDATE device_authorizations SET decided_by = $2, session_id = $3 WHERE id = $1', [
    id,
    userId,
    sessionId,
  ]);
}

/** Returns how many unknown user codes the user entered within the last hour. */
export async function countUnknownCodes(tx: Tx, userId: string): Promise<number> {
  const [row] = await tx.query(
    `SELECT count(*)::int AS count FROM unknown_user_codes
     WHERE user_id = $1 AND entered_at > clock_timestamp() - interval '1 hour'`,
    [userId],
  );
  return row.count;
}

export async function noteUnknownCode(tx: Tx, userId: string): Promise<void> {
  await tx.query('INSERT INTO unknown_user_codes (user_id) VALUES ($1)', [userId]);
}
