import type { TradingType } from '@trading-automation/contracts';
import { insertMany, queryPrepared, type Tx } from '@trading-automation/persistence';
import { isInstanceConnected } from '../platform/index.js';
import { AccountOwnerEntity } from './account-owner.entity.js';

/** A worker's right to start work on an account. The fence increases each time the account moves to another worker. */
export interface Ownership {
  readonly accountId: string;
  readonly worker: string;
  readonly fence: string;
}

/** An account that the worker owns, with the fields whose changes concern the worker. */
export interface OwnedAccount extends Ownership {
  readonly exchange: string;
  readonly tradingType: TradingType;
  /** False if the exchange rejected the credentials; the exchange is never called for an inactive account. */
  readonly isActive: boolean;
  /** Changes whenever the credentials change. */
  readonly credentialsHash: string;
}

/** The channel on which a worker notifies the others that it released accounts, so that they claim them immediately. */
export const ACCOUNT_OWNERS_CHANNEL = 'account_owners';

/**
 * Locks the ownership until the transaction ends, so that another worker's claim waits. Returns false if another worker
 * owns the account now; this worker must then not start work on it.
 */
export async function lockOwnership(tx: Tx, ownership: Ownership): Promise<boolean> {
  return (await lockOwnerships(tx, [ownership])).has(ownership.accountId);
}

/** Locks many ownerships as `lockOwnership` does, and returns the ids of the accounts that this worker still owns. */
export async function lockOwnerships(tx: Tx, ownerships: readonly Ownership[]): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ account_id: string }>(
    tx,
    `SELECT o.account_id FROM account_owners o
     JOIN unnest($1::uuid[], $2::text[], $3::bigint[]) AS held (account_id, worker, fence)
       ON o.account_id = held.account_id AND o.worker = held.worker AND o.fence = held.fence
     ORDER BY o.account_id FOR SHARE OF o`,
    [
      ownerships.map(({ accountId }) => accountId),
      ownerships.map(({ worker }) => worker),
      ownerships.map(({ fence }) => fence),
    ],
  );
  return new Set(rows.map(({ account_id }) => account_id));
}

/**
 * Returns the other workers that have a lease although their process has ended. A worker counts as ended if it held its session
 * lock when it renewed its lease, at this run of the database server, and does not hold it now. A worker whose connection
 * is lost for a moment looks the same, so the caller asks twice.
 */
export async function findEndedWorkers(tx: Tx, worker: string): Promise<readonly string[]> {
  const rows: { worker: string }[] = await tx.query(
    `SELECT worker FROM worker_leases
     WHERE worker <> $1 AND expires_at > clock_timestamp() AND session_server = pg_postmaster_start_time()
       AND NOT ${isInstanceConnected('worker')}`,
    [worker],
  );
  return rows.map(({ worker }) => worker);
}

/** Ends the leases of workers, so that their accounts are orphans. */
export async function endLeases(tx: Tx, workers: readonly string[]): Promise<void> {
  await tx.query('UPDATE worker_leases SET expires_at = clock_timestamp() WHERE worker = ANY ($1)', [
    workers,
  ]);
}

/**
 * The number of an exchange's accounts that this worker owns, and the maximum that it should own. An account that follows
 * another one of its wallet is not counted.
 */
interface FairShare {
  readonly exchange: string;
  readonly mine: number;
  readonly share: number;
  /** Whether a worker has lived long enough, so that accounts move to give each worker its share. */
  readonly isBalanced: boolean;
}

/** Serialises claims until the transaction ends, so that each claim sees the result of earlier claims. */
export async function lockClaims(tx: Tx): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('account-owners', 0))");
}

/**
 * The age of a lease from which its worker gets a share of the accounts of other workers. Until then, it keeps what it
 * has and claims orphans. Otherwise, workers that die again and again would hand accounts back and forth each time.
 */
const SHARE_FROM_AGE_MS = 20_000;

/**
 * Returns, for each exchange, how many accounts the worker owns and its share. The share is the number of accounts
 * divided by the number of live workers that support the exchange and get a share, rounded up.
 */
export async function fairShares(
  tx: Tx,
  worker: string,
  exchanges: readonly string[],
): Promise<readonly FairShare[]> {
  return tx.query(
    `WITH live AS (
         SELECT worker, exchanges, started_at <= clock_timestamp() - $3 * interval '1 millisecond' AS is_stable
         FROM worker_leases WHERE expires_at > clock_timestamp()),
       counted AS (
         SELECT a.exchange, count(*) AS accounts, count(*) FILTER (WHERE o.worker = $1) AS mine
         FROM exchange_accounts a LEFT JOIN account_owners o ON o.account_id = a.id ${FOLLOWED}
         WHERE a.deleted_at IS NULL AND a.exchange = ANY ($2) AND first.id IS NULL GROUP BY a.exchange)
     SELECT exchange, mine::int,
       CASE WHEN stable = 0 THEN ceil(accounts::float8 / greatest(1, workers))::int
         WHEN is_own_stable THEN ceil(accounts::float8 / stable)::int ELSE mine::int END AS share,
       stable > 0 AS "isBalanced"
     FROM counted, LATERAL (
       SELECT count(*) AS workers, count(*) FILTER (WHERE is_stable) AS stable,
         coalesce(bool_or(is_stable) FILTER (WHERE worker = $1), false) AS is_own_stable
       FROM live WHERE exchange = ANY (exchanges)) AS supporting`,
    [worker, exchanges, SHARE_FROM_AGE_MS],
  );
}

/** Joins the account `a` with the account that it follows: the first one of a wallet that it shares. */
const FOLLOWED = `LEFT JOIN exchange_accounts first
    ON first.id = a.wallet_id AND first.id <> a.id AND first.deleted_at IS NULL`;

/** Joins the account `a` with its live owner `l`, and with the live owner `lead` of the account that it follows. */
const LIVE_OWNERS = `exchange_accounts a
  LEFT JOIN account_owners o ON o.account_id = a.id
  LEFT JOIN worker_leases l ON l.worker = o.worker AND l.expires_at > clock_timestamp()
  ${FOLLOWED}
  LEFT JOIN account_owners fo ON fo.account_id = first.id
  LEFT JOIN worker_leases lead ON lead.worker = fo.worker AND lead.expires_at > clock_timestamp()`;

/**
 * Claims up to `limit` accounts of an exchange that no live worker owns. It skips an account that its former owner
 * locks in order to start work; the next claim may take that account. Accounts that follow another one are left to
 * {@link claimWallets}.
 */
export async function claimOrphans(tx: Tx, worker: string, exchange: string, limit: number): Promise<void> {
  const orphans: { id: string }[] = await tx.query(
    `SELECT a.id FROM ${LIVE_OWNERS}
     WHERE a.deleted_at IS NULL AND a.exchange = $1 AND l.worker IS NULL
       AND first.id IS NULL
     ORDER BY a.id LIMIT $2`,
    [exchange, limit],
  );
  await claim(tx, worker, orphans);
}

/** Claims the accounts without a live owner that follow an account of this worker. */
export async function claimWallets(tx: Tx, worker: string): Promise<void> {
  const orphans: { id: string }[] = await tx.query(
    `SELECT a.id FROM ${LIVE_OWNERS}
     WHERE a.deleted_at IS NULL AND a.wallet_id IS NOT NULL AND l.worker IS NULL AND lead.worker = $1`,
    [worker],
  );
  await claim(tx, worker, orphans);
}

/** Releases the accounts of this worker that follow an account of another worker, and notifies the other workers. */
export async function releaseWallets(tx: Tx, worker: string): Promise<void> {
  const [, released]: [unknown, number] = await tx.query(
    `WITH strays AS (
       SELECT a.id FROM ${LIVE_OWNERS}
       WHERE a.deleted_at IS NULL AND a.wallet_id IS NOT NULL AND o.worker = $1 AND lead.worker <> $1),
     locked AS (
       SELECT account_id FROM account_owners WHERE account_id IN (SELECT id FROM strays)
       ORDER BY account_id FOR UPDATE SKIP LOCKED)
     UPDATE account_owners o SET worker = NULL FROM locked WHERE o.account_id = locked.account_id`,
    [worker],
  );
  if (released > 0) await notifyOrphans(tx);
}

async function claim(tx: Tx, worker: string, orphans: readonly { readonly id: string }[]): Promise<void> {
  if (orphans.length === 0) return;
  const ids = orphans.map(({ id }) => id);
  await insertMany(
    tx,
    AccountOwnerEntity,
    ids.map((accountId) => ({ accountId, fence: 0 })),
    { skipConflictsOn: ['accountId'] },
  );
  await tx.query(
    `UPDATE account_owners SET worker = $2, fence = fence + 1
     WHERE account_id IN (SELECT account_id FROM account_owners WHERE account_id = ANY ($1)
                          ORDER BY account_id FOR UPDATE SKIP LOCKED)`,
    [ids, worker],
  );
}

/**
 * Releases up to `limit` of the worker's accounts of an exchange, and notifies the other workers. Accounts that follow
 * another one of their wallet are not counted.
 */
export async function releaseSurplus(tx: Tx, worker: string, exchange: string, limit: number): Promise<void> {
  await tx.query(
    `UPDATE account_owners SET worker = NULL
     WHERE account_id IN (SELECT o.account_id FROM account_owners o JOIN exchange_accounts a ON a.id = o.account_id
                          ${FOLLOWED}
                          WHERE o.worker = $1 AND a.exchange = $2 AND a.deleted_at IS NULL AND first.id IS NULL
                          ORDER BY o.account_id DESC LIMIT $3 FOR UPDATE OF o SKIP LOCKED)`,
    [worker, exchange, limit],
  );
  await notifyOrphans(tx);
}

export async function readOwned(tx: Tx, worker: string): Promise<readonly OwnedAccount[]> {
  return queryPrepared<OwnedAccount & Record<string, unknown>>(
    tx,
    `SELECT o.account_id AS "accountId", o.worker, o.fence::text, a.exchange, a.trading_type AS "tradingType",
       a.is_active AS "isActive",
       hashtextextended(coalesce(a.credentials_sealed, ''), 0)::text AS "credentialsHash"
     FROM account_owners o JOIN exchange_accounts a ON a.id = o.account_id
     WHERE o.worker = $1 AND a.deleted_at IS NULL`,
    [worker],
  );
}

export async function notifyOrphans(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [ACCOUNT_OWNERS_CHANNEL, '']);
}
