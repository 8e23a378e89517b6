import {
  type Database,
  removeExpiredIdempotencyKeys,
  removeOldHeartbeats,
  withAdvisoryLock,
} from '@trading-automation/persistence';
import type { Platform } from './platform.js';

const BATCH = 1_000;

/** What of signing in has had its time, by table, and when it has. */
const SIGN_INS = {
  sessions: 'expires_at',
  sign_in_tickets: 'expires_at',
  sign_in_attempts: 'expires_at',
  used_login_data: 'expires_at',
  passkey_challenges: 'expires_at',
  token_keys: 'shown_until',
} as const;

export interface HousekeepingResult {
  readonly idempotencyKeys: number;
  readonly heartbeats: number;
  /** Sessions with their tokens, and what else was good for a time to sign in with. */
  readonly signInRecords: number;
}

/**
 * Removes what has had its time: kept answers after 24 hours, signs of life after a day, what was to sign in with
 * once it is over. One process at a time does it, in small steps; null where another is at it. Events stay: deliveries
 * refer to them.
 */
export async function runHousekeeping({ database }: Platform): Promise<HousekeepingResult | null> {
  const outcome = await withAdvisoryLock(database, 'housekeeping', async (signal) => {
    const answers = await inBatches(signal, () => removeExpiredIdempotencyKeys(database, BATCH));
    let signIns = 0;
    for (const [table, column] of Object.entries(SIGN_INS)) {
      signIns += await inBatches(signal, () => removeExpired(database, table, column));
    }
    return {
      idempotencyKeys: answers,
      heartbeats: await removeOldHeartbeats(database),
      signInRecords: signIns,
    };
  });
  return outcome.acquired ? outcome.value : null;
}

/** Removes until a batch is not full any more, and tells how many it were. */
async function inBatches(signal: AbortSignal, remove: () => Promise<number>): Promise<number> {
  let count = 0;
  for (let removed = BATCH; removed === BATCH && !signal.aborted; count += removed) removed = await remove();
  return count;
}

async function removeExpired(database: Database, table: string, column: string): Promise<number> {
  const [, count] = await database.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${column} <= now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [BATCH],
  );
  return count;
}
