import {
  type Database,
  removeExpiredIdempotencyKeys,
  removeOldHeartbeats,
  withAdvisoryLock,
} from '@trading-automation/persistence';
import type { Platform } from './platform.js';

const BATCH_SIZE = 1_000;

/** Tables of sign-in records, with the column that contains the time at which a row expires. */
const SIGN_IN_TABLES = {
  sessions: 'expires_at',
  sign_in_tickets: 'expires_at',
  sign_in_attempts: 'expires_at',
  // The hashes of login data that providers signed; each can be used once.
  used_login_data: 'expires_at',
  passkey_challenges: 'expires_at',
  // Unconfirmed registrations lapse with their links, and free their addresses.
  sign_in_links: 'expires_at',
  // The session of an approved sign-in can be requested until the sign-in expires.
  device_authorizations: "expires_at + interval '1 hour'",
  unknown_user_codes: "entered_at + interval '1 hour'",
  browser_sessions: "expires_at + interval '30 days'",
  // The public half of a key is published until all its tokens have expired.
  token_keys: 'shown_until',
} as const;

export interface HousekeepingResult {
  readonly idempotencyKeys: number;
  readonly heartbeats: number;
  /** Sessions with their tokens, and other expired sign-in records. */
  readonly signInRecords: number;
}

/**
 * Deletes expired rows in small batches: stored responses and heartbeats after 24 hours, and expired sign-in records.
 * One process at a time does this; returns null if another process is running it. Events are retained, because
 * deliveries refer to them.
 */
export async function runHousekeeping({ database }: Platform): Promise<HousekeepingResult | null> {
  const outcome = await withAdvisoryLock(database, 'housekeeping', async (signal) => {
    const responses = await inBatches(signal, () => removeExpiredIdempotencyKeys(database, BATCH_SIZE));
    let signInRecords = 0;
    for (const [table, column] of Object.entries(SIGN_IN_TABLES)) {
      signInRecords += await inBatches(signal, () => removeExpired(database, table, column));
    }
    return {
      idempotencyKeys: responses,
      heartbeats: await removeOldHeartbeats(database),
      signInRecords,
    };
  });
  return outcome.acquired ? outcome.value : null;
}

/** Deletes batches until a batch is not full. Returns the number of deleted rows. */
async function inBatches(signal: AbortSignal, remove: () => Promise<number>): Promise<number> {
  let count = 0;
  for (let removed = BATCH_SIZE; removed === BATCH_SIZE && !signal.aborted; count += removed)
    removed = await remove();
  return count;
}

async function removeExpired(database: Database, table: string, column: string): Promise<number> {
  const [, count] = await database.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${column} <= now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [BATCH_SIZE],
  );
  return count;
}
