/**
 * Assigns exchange accounts to trading workers.
 *
 * 1. An account has one worker at a time. Code that starts work on an account locks the ownership in its transaction
 *    (`lockOwnership`). A worker that lost the account therefore cannot start work, even if it notices the loss late.
 * 2. A lease shows that a worker is alive; all its instants come from the database's clock. When the lease expires, the
 *    other workers claim its accounts, each up to its equal share. The lease of a process that has ended is expired
 *    early: Postgres releases the process's session lock, and `endLostLeases` finds that twice.
 * 3. A worker that could not renew its lease treats it as lost by its own monotonic clock, before others may claim the
 *    accounts. `ownedAccounts()` is then empty until the next claim.
 * 4. A worker with more than its share releases the surplus in small steps. Rebalancing moves no other accounts. A young
 *    worker gets orphans alone, so that workers that die repeatedly do not hand accounts back and forth.
 * 5. Accounts that share a wallet follow the first of them to its worker, so that they share one stream. The
 *    wallet counts as one account.
 */
import { inTransaction } from '@trading-automation/persistence';
import { isInstanceConnected, type Platform } from '../platform/index.js';
import {
  claimOrphans,
  claimWallets,
  endLeases,
  fairShares,
  findEndedWorkers,
  lockClaims,
  notifyOrphans,
  type OwnedAccount,
  readOwned,
  releaseSurplus,
  releaseWallets,
} from './account-ownership.queries.js';

/** How often a worker renews its lease and claims orphans, which are accounts without a live owner. */
export const LEASE_RENEWAL_MS = 2_500;
const LEASE_MS = 10_000;
/** A lease that is not renewed counts as lost this long before it expires in the database. */
const LEASE_MARGIN_MS = 2_000;
/** Each account that moves costs a connection and a full reconciliation, so a new worker gets its share in steps. */
const RELEASE_BATCH_SIZE = 100;
/** How long a worker must be without its session lock until its process counts as ended. */
export const SESSION_LOST_AFTER_MS = 1_000;

export interface OwnershipOptions {
  /** The exchanges that this worker supports. */
  readonly exchanges: readonly string[];
  /** Called immediately with accounts that this worker has lost. */
  readonly onLost: (accountIds: readonly string[]) => void;
  /** A monotonic clock in milliseconds. Default: the process's clock. */
  readonly monotonicMs?: () => number;
}

export class AccountOwnership {
  readonly worker: string;
  private owned: ReadonlyMap<string, OwnedAccount> = new Map();
  private validUntilMs = Number.NEGATIVE_INFINITY;
  private clockSample: { readonly timeMs: number; readonly atMs: number } | null = null;
  private liveWorkers = 1;
  private isReleased = false;
  /** When this worker first found that another one has no session lock, by its own clock. */
  private lostAtMs: ReadonlyMap<string, number> = new Map();
  private expiryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly options: OwnershipOptions,
  ) {
    this.worker = platform.instance;
  }

  /** Renews the lease of this worker. The owned accounts do not change; `claim` updates them. */
  async renewLease(): Promise<void> {
    // Measured before the query, so that our lease ends before the one in the database even if the response is slow.
    const requestedAtMs = this.nowMs();
    this.isReleased = false;
    const [{ time_ms, others }] = await this.platform.database.query(
      `INSERT INTO worker_leases AS mine (worker, exchanges, expires_at, session_server)
       VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond',
         CASE WHEN ${isInstanceConnected('$1')} THEN pg_postmaster_start_time() END)
       ON CONFLICT (worker) DO UPDATE SET exchanges = excluded.exchanges, expires_at = excluded.expires_at,
         session_server = excluded.session_server
       RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time_ms,
         (SELECT count(*)::int FROM worker_leases l
          WHERE l.worker <> mine.worker AND l.expires_at > clock_timestamp()) AS others`,
      [this.worker, this.options.exchanges, LEASE_MS],
    );
    this.liveWorkers = others + 1;
    this.clockSample = { timeMs: time_ms, atMs: this.nowMs() };
    // The renewal was too late, and others may own the accounts now. The next claim reads which accounts are left.
    if (!this.isValid()) this.dropAll();
    this.validUntilMs = requestedAtMs + LEASE_MS - LEASE_MARGIN_MS;
    this.scheduleExpiry();
  }

  /**
   * Releases at most 100 accounts of each exchange beyond this worker's share; the next claim reads the remaining ones.
   */
  async rebalance(): Promise<void> {
    const { worker } = this;
    await inTransaction(this.platform.database, async (tx) => {
      await lockClaims(tx);
      for (const { exchange, mine, share, isBalanced } of await fairShares(
        tx,
        worker,
        this.options.exchanges,
      ))
        if (isBalanced && mine > share)
          await releaseSurplus(tx, worker, exchange, Math.min(mine - share, RELEASE_BATCH_SIZE));
      await releaseWallets(tx, worker);
    });
  }

  /**
   * Ends the leases of workers whose process has ended. A worker is confirmed by a second call, `SESSION_LOST_AFTER_MS`
   * after the first that found it.
   *
   * @returns whether a worker waits for its confirmation
   */
  async endLostLeases(): Promise<boolean> {
    const now = this.nowMs();
    return inTransaction(this.platform.database, async (tx) => {
      const ended = await findEndedWorkers(tx, this.worker);
      const lostAtMs = new Map(ended.map((worker) => [worker, this.lostAtMs.get(worker) ?? now]));
      const confirmed = ended.filter((worker) => now - lostAtMs.get(worker)! >= SESSION_LOST_AFTER_MS);
      if (confirmed.length > 0) await endLeases(tx, confirmed);
      for (const worker of confirmed) lostAtMs.delete(worker);
      this.lostAtMs = lostAtMs;
      return lostAtMs.size > 0;
    });
  }

  /** Claims orphans up to this worker's share and reads the owned accounts. */
  async claim(): Promise<void> {
    const { worker } = this;
    const owned = await inTransaction(this.platform.database, async (tx) => {
      await lockClaims(tx);
      if (this.isReleased) return [];
      for (const { exchange, mine, share } of await fairShares(tx, worker, this.options.exchanges))
        if (mine < share) await claimOrphans(tx, worker, exchange, share - mine);
      await claimWallets(tx, worker);
      return readOwned(tx, worker);
    });
    if (this.isValid()) this.replace(new Map(owned.map((each) => [each.accountId, each])));
  }

  /** Returns the accounts that this worker may work on now. */
  ownedAccounts(): ReadonlyMap<string, OwnedAccount> {
    if (!this.isValid()) this.dropAll();
    return this.owned;
  }

  /** The number of live workers, including this one, at the last renewal. */
  get liveWorkerCount(): number {
    return this.liveWorkers;
  }

  /** Returns the database's time or slightly earlier, never later; null before the first lease. */
  databaseTime(): Date | null {
    if (this.clockSample === null) return null;
    return new Date(Math.floor(this.clockSample.timeMs + this.nowMs() - this.clockSample.atMs));
  }

  /**
   * Ends the lease and releases all accounts, so that other workers can claim them immediately. Until `renewLease` is
   * called again, `claim` takes no accounts.
   */
  async release(): Promise<void> {
    this.isReleased = true;
    clearTimeout(this.expiryTimer);
    this.validUntilMs = Number.NEGATIVE_INFINITY;
    this.dropAll();
    await inTransaction(this.platform.database, async (tx) => {
      await lockClaims(tx);
      await tx.query('UPDATE account_owners SET worker = NULL WHERE worker = $1', [this.worker]);
      await tx.query('DELETE FROM worker_leases WHERE worker = $1', [this.worker]);
      await notifyOrphans(tx);
    });
  }

  private nowMs(): number {
    return this.options.monotonicMs?.() ?? performance.now();
  }

  private isValid(): boolean {
    return this.nowMs() < this.validUntilMs;
  }

  private scheduleExpiry(): void {
    clearTimeout(this.expiryTimer);
    this.expiryTimer = setTimeout(
      () => this.ownedAccounts(),
      Math.max(0, this.validUntilMs - this.nowMs()) + 1,
    );
    this.expiryTimer.unref();
  }

  private dropAll(): void {
    this.replace(new Map());
  }

  private replace(owned: ReadonlyMap<string, OwnedAccount>): void {
    const lost = [...this.owned.values()]
      .filter(({ accountId, fence }) => owned.get(accountId)?.fence !== fence)
      .map(({ accountId }) => accountId);
    this.owned = owned;
    if (lost.length > 0) this.options.onLost(lost);
  }
}

/** The state of an account's stream in this worker. */
export interface AccountStreamStatus {
  readonly accountId: string;
  readonly state: string;
  /** How long the stream has been in this state, in milliseconds. */
  readonly stateAgeMs: number;
}

/**
 * Stores the stream statuses of this process's accounts. `since` is the start of the state and `told_at` the instant of
 * the last report; an old `told_at` means that no process watches the account. `live_at` is the last report of a live
 * stream; the previous release does not store it.
 */
export async function storeStreamStatuses(
  { database, instance }: Platform,
  statuses: readonly AccountStreamStatus[],
): Promise<void> {
  if (statuses.length === 0) return;
  await database.query(
    `INSERT INTO account_watches AS w (account_id, worker, state, since, told_at, live_at)
     SELECT account_id, $2, state, t.now - age_ms * interval '1 millisecond', t.now, CASE WHEN state = 'LIVE' THEN t.now END
     FROM unnest($1::uuid[], $3::text[], $4::float8[]) AS reported (account_id, state, age_ms),
       clock_timestamp() AS t (now)
     ON CONFLICT (account_id) DO UPDATE
       SET worker = excluded.worker, state = excluded.state, since = excluded.since, told_at = excluded.told_at,
         live_at = coalesce(excluded.live_at, CASE WHEN w.state = 'LIVE' THEN w.told_at ELSE w.live_at END)`,
    [
      statuses.map(({ accountId }) => accountId),
      instance,
      statuses.map(({ state }) => state),
      statuses.map(({ stateAgeMs }) => stateAgeMs),
    ],
  );
}

/**
 * Deletes expired worker leases, ownership rows of removed accounts, and outdated stream statuses. Returns the number
 * of deleted leases and ownership rows.
 */
export async function purgeStaleOwners({ database }: Platform): Promise<number> {
  const [, leases] = await database.query(
    "DELETE FROM worker_leases WHERE expires_at < clock_timestamp() - interval '1 day'",
  );
  const [, owners] = await database.query(
    `DELETE FROM account_owners o USING exchange_accounts a
     WHERE a.id = o.account_id AND a.deleted_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM worker_leases l WHERE l.worker = o.worker AND l.expires_at > clock_timestamp())`,
  );
  await database.query("DELETE FROM account_watches WHERE told_at < clock_timestamp() - interval '1 day'");
  return leases + owners;
}
