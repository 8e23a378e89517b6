/**
 * Which trading worker works on which exchange account.
 *
 * 1. An account is one worker's at a time. Whatever begins something on it holds that in its own transaction
 *    (`lockOwnership`), so that a worker that lost the account can begin nothing, however late it notices.
 * 2. A worker shows by a lease that it lives; every instant of it is the database's. The accounts of a worker whose
 *    lease ran out are taken by the others, each up to its equal part.
 * 3. A worker that could not renew its lease in time takes it for lost by its own monotonic clock, some time before
 *    the others can: `mine()` is empty then, until the next claim.
 * 4. A worker that has more than its part gives the surplus away in small steps; nothing else is ever moved.
 */
import { inTransaction } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import {
  claimOrphans,
  fairShares,
  lockClaims,
  notifyOrphans,
  type OwnedAccount,
  readOwned,
  releaseSurplus,
} from './account-ownership.queries.js';

/** How often a lease is to be renewed, and orphans looked for. */
export const LEASE_RENEWAL_MS = 2_500;
const LEASE_MS = 10_000;
/** How long before its end by the database's clock a lease that was not renewed counts as lost. */
const LEASE_MARGIN_MS = 2_000;
/** Each account that moves costs a connection and a look at everything; a new worker's part comes bit by bit. */
const GIVEN_AT_ONCE = 100;

export interface OwnershipOptions {
  /** The exchanges that this worker can work on. */
  readonly exchanges: readonly string[];
  /** Told at once of accounts that this worker had and has no longer. */
  readonly onLost: (accountIds: readonly string[]) => void;
  /** A monotonic clock in milliseconds; the process's unless given. */
  readonly monotonicMs?: () => number;
}

export class AccountOwnership {
  readonly worker: string;
  private owned: ReadonlyMap<string, OwnedAccount> = new Map();
  private validUntilMs = Number.NEGATIVE_INFINITY;
  private clockSample: { readonly timeMs: number; readonly atMs: number } | null = null;
  private liveWorkers = 1;
  private isReleased = false;
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly platform: Platform,
    private readonly options: OwnershipOptions,
  ) {
    this.worker = platform.instance;
  }

  /** Shows that this worker lives. What it has is unchanged by that; `claim` tells. */
  async renewLease(): Promise<void> {
    // Before it is asked for: however long the answer takes, ours ends first.
    const askedAtMs = this.nowMs();
    this.isReleased = false;
    const [{ time_ms, others }] = await this.platform.database.query(
      `INSERT INTO worker_leases AS mine (worker, exchanges, expires_at)
       VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
       ON CONFLICT (worker) DO UPDATE SET exchanges = excluded.exchanges, expires_at = excluded.expires_at
       RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time_ms,
         (SELECT count(*)::int FROM worker_leases l
          WHERE l.worker <> mine.worker AND l.expires_at > clock_timestamp()) AS others`,
      [this.worker, this.options.exchanges, LEASE_MS],
    );
    this.liveWorkers = others + 1;
    this.clockSample = { timeMs: time_ms, atMs: this.nowMs() };
    // Too late: others may have what was ours, and the next claim tells.
    if (!this.isValid()) this.dropAll();
    this.validUntilMs = askedAtMs + LEASE_MS - LEASE_MARGIN_MS;
    this.scheduleExpiry();
  }

  /** Gives away a little of what is beyond this worker's part; the next claim tells what it has then. */
  async rebalance(): Promise<void> {
    const { worker } = this;
    await inTransaction(this.platform.database, async (tx) => {
      await lockClaims(tx);
      for (const { exchange, mine, share } of await fairShares(tx, worker, this.options.exchanges))
        if (mine > share) await releaseSurplus(tx, worker, exchange, Math.min(mine - share, GIVEN_AT_ONCE));
    });
  }

  /** Takes what nobody has up to this worker's part, and reads what it has then. */
  async claim(): Promise<void> {
    const { worker } = this;
    const owned = await inTransaction(this.platform.database, async (tx) => {
      await lockClaims(tx);
      if (this.isReleased) return [];
      for (const { exchange, mine, share } of await fairShares(tx, worker, this.options.exchanges))
        if (mine < share) await claimOrphans(tx, worker, exchange, share - mine);
      return readOwned(tx, worker);
    });
    if (this.isValid()) this.replace(new Map(owned.map((each) => [each.accountId, each])));
  }

  /** What this worker may work on at this moment. */
  ownedAccounts(): ReadonlyMap<string, OwnedAccount> {
    if (!this.isValid()) this.dropAll();
    return this.owned;
  }

  /** How many workers there were, this one counted, when it last showed that it lives. */
  get workers(): number {
    return this.liveWorkers;
  }

  /** The database's time or a little earlier, never later; null before the first lease. */
  databaseTime(): Date | null {
    if (this.clockSample === null) return null;
    return new Date(Math.floor(this.clockSample.timeMs + this.nowMs() - this.clockSample.atMs));
  }

  /** Gives everything back, to be taken by others at once; a claim that is under way takes nothing after it. */
  async release(): Promise<void> {
    this.isReleased = true;
    clearTimeout(this.watch);
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
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.ownedAccounts(), Math.max(0, this.validUntilMs - this.nowMs()) + 1);
    this.watch.unref();
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

/** How an account is heard of by its worker. */
export interface AccountStreamStatus {
  readonly accountId: string;
  readonly state: string;
  /** For how long, in milliseconds. */
  readonly stateAgeMs: number;
}

/** Tells of every account that this process hears of; one that nobody tells of any more has `told_at` stand still. */
export async function storeStreamStatuses(
  { database, instance }: Platform,
  watches: readonly AccountStreamStatus[],
): Promise<void> {
  if (watches.length === 0) return;
  await database.query(
    `INSERT INTO account_watches (account_id, worker, state, since, told_at)
     SELECT account_id, $2, state, clock_timestamp() - for_ms * interval '1 millisecond', clock_timestamp()
     FROM unnest($1::uuid[], $3::text[], $4::float8[]) AS told (account_id, state, for_ms)
     ON CONFLICT (account_id) DO UPDATE
       SET worker = excluded.worker, state = excluded.state, since = excluded.since, told_at = excluded.told_at`,
    [
      watches.map(({ accountId }) => accountId),
      instance,
      watches.map(({ state }) => state),
      watches.map(({ stateAgeMs }) => stateAgeMs),
    ],
  );
}

/** Forgets workers that ended long ago, and owners of removed accounts; returns how many rows that were. */
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
