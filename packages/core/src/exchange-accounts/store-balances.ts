/** Stores the venue's reports of balances. venue-balances.rules.ts decides which of them replaces another. */
import type { Balances } from '@trading-automation/exchanges';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { haveBorrowedElse, type Loans } from './balance-detail.rules.js';
import { lockAccounts, lockUnlockedAccounts } from './lock-account-for-trade.js';
import {
  type MergedBalances,
  mergeReport,
  type ReportedBalances,
  type StoredBalances,
  type VenueBalances,
} from './venue-balances.rules.js';

/** All balances of an account, as the exchange returned them. */
export interface BalanceSnapshot {
  readonly accountId: string;
  readonly balances: Balances;
  /** The result of `databaseTime()` just before the request to the exchange. */
  readonly takenAt: string;
  /** The venue's time; see `BalanceReport` of the exchange port. */
  readonly at: Date;
  readonly until: Date;
  /** What the account owes, read after the balances. Absent if it was not read; the stored loans then stay. */
  readonly loans?: Loans | undefined;
}

/** A stream's report of some assets of an account. */
export interface BalanceUpdate {
  readonly accountId: string;
  /** Only changed assets; an asset that was used up has zeros. */
  readonly balances: Balances;
  /** The venue's time of the report. */
  readonly at: Date;
  /** The database's time when the report was received, or slightly earlier. */
  readonly receivedAt: Date;
  /**
   * The orders and fills of the same millisecond that the stream reported before these balances; see
   * `seenOrderKey` and `seenFillKey`. They are part of the balances.
   */
  readonly seen: readonly string[];
}

/** The key of an accepted order in {@link BalanceUpdate.seen}. */
export const seenOrderKey = (exchangeOrderId: string) => `order ${exchangeOrderId}`;
/** The key of a fill in {@link BalanceUpdate.seen}. */
export const seenFillKey = (exchangeOrderId: string, exchangeFillId: string) =>
  `fill ${exchangeOrderId} ${exchangeFillId}`;

/** `receivedAt` is at most this much earlier than the database's time. */
const RECEIVED_MARGIN_MS = 1_000;

/** An account whose balances were written. */
export interface WrittenBalances {
  readonly id: string;
  readonly isSyncRequested: boolean;
  readonly isChanged: boolean;
}

/**
 * Stores reports without waiting for the lock of one account while holding those of others. Planning locks many
 * accounts; otherwise it would wait for accounts that only wait themselves. Reports of one account keep their order.
 *
 * @param store stores the reports of the accounts that it locks with the given function, and returns the locked ids
 */
export async function storeWithoutHolding<Report extends { readonly accountId: string }>(
  reports: readonly Report[],
  store: (reports: readonly Report[], lock: LockAccounts) => Promise<ReadonlySet<string>>,
): Promise<void> {
  let waiting = reports;
  for (;;) {
    const stored = await store(waiting, lockUnlockedAccounts);
    waiting = waiting.filter(({ accountId }) => !stored.has(accountId));
    const [next] = waiting;
    if (next === undefined) return;
    const ofAccount = waiting.filter(({ accountId }) => accountId === next.accountId);
    await store(ofAccount, lockAccounts);
    waiting = waiting.filter(({ accountId }) => accountId !== next.accountId);
  }
}

/** Locks accounts until the transaction ends, and returns the ids of those that it locked. */
export type LockAccounts = (tx: Tx, ids: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Stores snapshots of the accounts that `lock` locks. Skips accounts that do not exist, and snapshots that were requested
 * before the stored one.
 */
export async function storeSnapshots(
  tx: Tx,
  snapshots: readonly BalanceSnapshot[],
  lock: LockAccounts,
): Promise<{ readonly locked: ReadonlySet<string>; readonly written: readonly WrittenBalances[] }> {
  const newest = new Map<string, BalanceSnapshot>();
  for (const snapshot of snapshots) {
    const other = newest.get(snapshot.accountId);
    if (other === undefined || microsOf(other.takenAt) < microsOf(snapshot.takenAt))
      newest.set(snapshot.accountId, snapshot);
  }
  const { locked, stored } = await lockStored(tx, [...newest.keys()], lock);
  const merged = stored.flatMap((row) => {
    const snapshot = newest.get(row.id)!;
    const received = microsOf(snapshot.takenAt);
    if (row.takenAt !== null && row.takenAt >= received) return [];
    const report: ReportedBalances = { ...snapshot, source: 'SNAPSHOT', received, seen: [] };
    return [{ row, snapshot, merged: mergeReport(row, report) }];
  });
  if (merged.length > 0)
    await queryPrepared(tx, WRITE_SNAPSHOTS, [
      JSON.stringify(
        merged.map(({ row, snapshot: { takenAt, loans }, merged: each }) => ({
          ...written(row.id, each),
          taken_at: takenAt,
          loans,
        })),
      ),
    ]);
  const accounts = merged.map(({ row, snapshot: { takenAt, loans }, merged: { isChanged } }) => ({
    id: row.id,
    isChanged: isChanged || (loans !== undefined && haveBorrowedElse(row.loans ?? {}, loans)),
    isSyncRequested: row.syncRequestedAt !== null && row.syncRequestedAt <= microsOf(takenAt),
  }));
  return { locked, written: accounts };
}

/**
 * Stores a stream's reports of the accounts that `lock` locks, in input order. Skips accounts without a snapshot. Returns
 * the ids of the locked accounts.
 */
export async function storeUpdates(
  tx: Tx,
  updates: readonly BalanceUpdate[],
  lock: LockAccounts,
): Promise<ReadonlySet<string>> {
  const byAccount = new Map<string, BalanceUpdate[]>();
  for (const update of updates)
    byAccount.set(update.accountId, [...(byAccount.get(update.accountId) ?? []), update]);
  const { locked, stored } = await lockStored(tx, [...byAccount.keys()], lock);
  const changed = stored.flatMap((row) => {
    if (row.takenAt === null) return [];
    let merged: StoredBalances = row;
    for (const { balances, at, receivedAt, seen } of byAccount.get(row.id)!)
      merged = mergeReport(merged, {
        source: 'STREAM',
        balances,
        at,
        until: at,
        received: (receivedAt.getTime() + RECEIVED_MARGIN_MS) * 1_000,
        seen,
      });
    return [written(row.id, merged)];
  });
  if (changed.length > 0) await queryPrepared(tx, WRITE_UPDATES, [JSON.stringify(changed)]);
  return locked;
}

interface LockedBalances extends StoredBalances {
  readonly id: string;
  /** Null if the loans were not read yet. */
  readonly loans: Loans | null;
  /** The database's time of a sync request that is not fulfilled yet, in microseconds; null without one. */
  readonly syncRequestedAt: number | null;
}

async function lockStored(tx: Tx, ids: readonly string[], lock: LockAccounts) {
  const locked = await lock(tx, ids);
  const stored = await queryPrepared<LockedBalances & Record<string, unknown>>(
    tx,
    `SELECT id, balances, loans, venue_balances AS "venueBalances", venue_balances_at AS "venueBalancesAt",
       ${micros('balances_taken_at')} AS "takenAt",
       CASE WHEN sync_requested_at > coalesce(sync_served_at, '-infinity')
         THEN ${micros('sync_requested_at')} END AS "syncRequestedAt"
     FROM exchange_accounts WHERE id = ANY ($1) AND deleted_at IS NULL`,
    [[...locked]],
  );
  return { locked, stored };
}

const micros = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::float8`;

interface WrittenRow {
  readonly id: string;
  readonly balances: Balances;
  readonly venue_balances: VenueBalances;
  readonly venue_balances_at: Date | null;
}

const written = (id: string, merged: StoredBalances | MergedBalances): WrittenRow => ({
  id,
  balances: merged.balances,
  venue_balances: merged.venueBalances,
  venue_balances_at: merged.venueBalancesAt,
});

const WRITE_SNAPSHOTS = `UPDATE exchange_accounts a
  SET balances = read.balances, venue_balances = read.venue_balances, venue_balances_at = read.venue_balances_at,
    loans = coalesce(read.loans, a.loans), balances_taken_at = read.taken_at, last_sync_at = clock_timestamp(),
    sync_served_at = greatest(a.sync_served_at, read.taken_at), updated_at = clock_timestamp()
  FROM jsonb_to_recordset($1) AS read (id uuid, balances jsonb, venue_balances jsonb, venue_balances_at timestamptz,
    taken_at timestamptz, loans jsonb)
  WHERE a.id = read.id`;

const WRITE_UPDATES = `UPDATE exchange_accounts a
  SET balances = read.balances, venue_balances = read.venue_balances, updated_at = clock_timestamp()
  FROM jsonb_to_recordset($1) AS read (id uuid, balances jsonb, venue_balances jsonb)
  WHERE a.id = read.id`;

/** Parses an instant of the database, such as `2026-01-01 00:00:00.123456+00`, to Unix microseconds. */
function microsOf(instant: string): number {
  const fraction = /\.(\d+)/.exec(instant)?.[1] ?? '';
  const wholeSeconds = Date.parse(instant.replace(/\.\d+/, ''));
  return wholeSeconds * 1_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
