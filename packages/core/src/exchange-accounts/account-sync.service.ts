/**
 * Stores what the trading worker learns about accounts: balances and rejected credentials.
 *
 * 1. A snapshot of balances has the database's time just before it was requested from the exchange. The snapshot
 *    certainly includes all earlier changes. Older snapshots never replace newer ones.
 * 2. A stream's updates of single assets are stored if they increase the free amount. They apply until the next
 *    snapshot, which is authoritative. An update does not change the snapshot's instant, and an update received before
 *    a snapshot never replaces it.
 * 3. An account with rejected credentials is not queried again until it has new ones.
 */
import {
  type Decimal,
  type EventType,
  exchangeAccount as exchangeAccountSchema,
  type TradingType,
} from '@trading-automation/contracts';
import type { Balances } from '@trading-automation/exchanges';
import { allColumns, hydrate, inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvent, emitEvents } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { ExchangeAccountEntity } from './exchange-account.entity.js';
import { viewExchangeAccount } from './exchange-account.view.js';
import { lockAccounts } from './lock-account-for-trade.js';

export interface ConnectableAccount {
  readonly id: string;
  readonly exchange: string;
  readonly tradingType: TradingType;
  readonly credentialsSealed: string;
  readonly isActive: boolean;
}

/** All balances of an account, as the exchange returned them. */
export interface BalanceSnapshot {
  readonly accountId: string;
  readonly balances: Balances;
  /** The result of `databaseTime()` just before the request to the exchange. */
  readonly takenAt: string;
}

/** A stream's update of some assets of an account. */
export interface BalanceUpdate {
  readonly accountId: string;
  /** Only changed assets; an asset that was used up has zeros. */
  readonly balances: Balances;
  /** The database's time when the update was received, or slightly earlier. */
  readonly receivedAt: Date;
}

export class AccountSyncService {
  constructor(private readonly platform: Platform) {}

  /** Returns null if the account does not exist or is removed. */
  async find(id: string): Promise<ConnectableAccount | null> {
    const [account] = await queryPrepared<ConnectableAccount & Record<string, unknown>>(
      this.platform.database.manager,
      `SELECT id, exchange, trading_type AS "tradingType", credentials_sealed AS "credentialsSealed",
         is_active AS "isActive"
       FROM exchange_accounts WHERE id = $1 AND credentials_sealed IS NOT NULL`,
      [id],
    );
    return account ?? null;
  }

  /** Returns the stored balances; null if the account does not exist, is removed or was never read. */
  async balancesOf(id: string): Promise<Balances | null> {
    const [account] = await queryPrepared<{ balances: Balances }>(
      this.platform.database.manager,
      'SELECT balances FROM exchange_accounts WHERE id = $1 AND balances_taken_at IS NOT NULL',
      [id],
    );
    return account?.balances ?? null;
  }

  /** Returns the accounts among `among` whose sync was requested, or that were not synced for `maxAgeMs`. */
  async dueForSync(maxAgeMs: number, limit: number, among: readonly string[]): Promise<readonly string[]> {
    if (among.length === 0) return [];
    const rows: { id: string }[] = await this.platform.database.query(
      `SELECT id FROM exchange_accounts
       WHERE deleted_at IS NULL AND is_active AND id = ANY ($3)
         AND (sync_requested_at > coalesce(sync_served_at, '-infinity')
              OR coalesce(sync_served_at, '-infinity') < clock_timestamp() - $1 * interval '1 millisecond')
       ORDER BY sync_requested_at > coalesce(sync_served_at, '-infinity') DESC NULLS LAST, sync_served_at NULLS FIRST
       LIMIT $2`,
      [maxAgeMs, limit, among],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the database's time as a string with microseconds. */
  async databaseTime(): Promise<string> {
    const [row] = await queryPrepared<{ time: string }>(
      this.platform.database.manager,
      'SELECT clock_timestamp()::text AS time',
      [],
    );
    return row!.time;
  }

  /** Stores the snapshot of one account; see {@link storeSnapshots}. */
  async storeBalances(accountId: string, balances: Balances, takenAt: string): Promise<void> {
    await this.storeSnapshots([{ accountId, balances, takenAt }]);
  }

  /** Stores snapshots and emits `exchange.synced` for accounts whose balances changed or whose sync was requested. */
  async storeSnapshots(snapshots: readonly BalanceSnapshot[]): Promise<void> {
    const rows = snapshots.map(({ accountId, balances, takenAt }) => ({
      id: accountId,
      balances,
      taken_at: takenAt,
    }));
    await inTransaction(this.platform.database, async (tx) => {
      const ids = rows.map(({ id }) => id);
      await lockAccounts(tx, ids);
      const stored = await queryPrepared<StoredSnapshot>(tx, STORE_SNAPSHOTS(tx.connection), [
        ids,
        JSON.stringify(rows),
      ]);
      const changed = stored.filter(
        ({ is_asked, balances_before, balances }) => is_asked === true || !isSame(balances_before, balances),
      );
      await emitEvents(
        tx,
        hydrate(tx.connection, ExchangeAccountEntity, changed).map((entity) => ({
          userId: entity.userId,
          type: 'exchange.synced' as const,
          schema: exchangeAccountSchema,
          record: viewExchangeAccount(entity),
        })),
      );
    });
  }

  /**
   * Stores increases of free amounts. Decreases are not stored: until the next snapshot, the reservations of the trades
   * that caused them are already subtracted. Accounts without a snapshot are skipped.
   */
  async storeUpdates(updates: readonly BalanceUpdate[]): Promise<void> {
    const rows = mergeByAccount(updates).map(({ accountId, balances, receivedAt }) => ({
      id: accountId,
      balances,
      heard_at: receivedAt,
    }));
    await inTransaction(this.platform.database, async (tx) => {
      await lockAccounts(
        tx,
        rows.map(({ id }) => id),
      );
      await queryPrepared(tx, STORE_UPDATES, [JSON.stringify(rows)]);
    });
  }

  /**
   * Records a failed sync and emits the events for it.
   *
   * @param rejected the sealed credentials that the exchange rejected, which deactivates the account; null for any other
   *   failure. A rejection of credentials that were replaced meanwhile is ignored.
   */
  async recordSyncFailure(accountId: string, rejected: string | null): Promise<void> {
    const isRejected = rejected !== null;
    await inTransaction(this.platform.database, async (tx) => {
      const before = await lock(tx, accountId);
      if (before === null || !before.entity.isActive) return;
      if (isRejected && before.entity.credentialsSealed !== rejected) return;
      await tx.query(
        `UPDATE exchange_accounts SET sync_served_at = clock_timestamp(), is_active = $2,
           updated_at = clock_timestamp() WHERE id = $1`,
        [accountId, !isRejected],
      );
      if (isRejected) await emitAccountEvent(tx, accountId, 'exchange.credentials_rejected');
      if (before.isSyncRequested) await emitAccountEvent(tx, accountId, 'exchange.sync_failed');
    });
  }
}

/** Returns free plus locked, by asset. */
export function totalBalances(balances: Balances): Readonly<Record<string, Decimal>> {
  return Object.fromEntries(
    Object.entries(balances).map(([asset, { free, locked }]) => [
      asset,
      new BigDecimal(free).plus(locked).toString(),
    ]),
  );
}

/** Merges updates to one per account; the last update of an asset wins. */
function mergeByAccount(updates: readonly BalanceUpdate[]): readonly BalanceUpdate[] {
  const byAccount = new Map<string, BalanceUpdate>();
  for (const each of updates) {
    const before = byAccount.get(each.accountId);
    // Keeps the earlier instant, so that a snapshot taken in between remains authoritative.
    if (before === undefined) byAccount.set(each.accountId, each);
    else byAccount.set(each.accountId, { ...before, balances: { ...before.balances, ...each.balances } });
  }
  return [...byAccount.values()];
}

/** The newest snapshot of each account wins. `$1` makes the planner look up the accounts by id. */
const STORE_SNAPSHOTS = allColumns(
  ExchangeAccountEntity,
  'a',
  (columns) => `
  UPDATE exchange_accounts a SET balances = read.balances, balances_taken_at = read.taken_at,
    last_sync_at = clock_timestamp(), sync_served_at = greatest(a.sync_served_at, read.taken_at),
    updated_at = clock_timestamp()
  FROM (
    SELECT DISTINCT ON (id) given.id, given.balances, given.taken_at, before.balances_before, before.is_asked
    FROM jsonb_to_recordset($2) AS given (id uuid, balances jsonb, taken_at timestamptz)
    CROSS JOIN LATERAL (
      SELECT b.balances AS balances_before, b.sync_requested_at > coalesce(b.sync_served_at, '-infinity')
        AND b.sync_requested_at <= given.taken_at AS is_asked
      FROM exchange_accounts b WHERE b.id = given.id OFFSET 0) before
    ORDER BY id, taken_at DESC) AS read
  WHERE a.id = ANY ($1) AND a.id = read.id AND a.deleted_at IS NULL
    AND coalesce(a.balances_taken_at, '-infinity') < read.taken_at
  RETURNING ${columns}, read.balances_before, read.is_asked`,
);

interface StoredSnapshot {
  readonly balances: Balances;
  readonly balances_before: Balances;
  readonly is_asked: boolean | null;
}

const STORE_UPDATES = `UPDATE exchange_accounts a
  SET balances = a.balances || heard.risen, updated_at = clock_timestamp()
  FROM (SELECT b.id, heard.heard_at, jsonb_object_agg(asset.key, asset.value) AS risen
        FROM jsonb_to_recordset($1) AS heard (id uuid, balances jsonb, heard_at timestamptz)
        JOIN exchange_accounts b ON b.id = heard.id, jsonb_each(heard.balances) AS asset
        WHERE (asset.value ->> 'free')::numeric > coalesce((b.balances -> asset.key ->> 'free')::numeric, 0)
        GROUP BY b.id, heard.heard_at) AS heard
  WHERE a.id = heard.id AND a.deleted_at IS NULL AND a.balances_taken_at < heard.heard_at`;

interface Locked {
  readonly entity: ExchangeAccountEntity;
  /** Whether a caller waits for a sync. */
  readonly isSyncRequested: boolean;
}

async function lock(tx: Tx, id: string): Promise<Locked | null> {
  const [row] = await tx.query(
    `SELECT sync_requested_at > coalesce(sync_served_at, '-infinity') AS is_asked
     FROM exchange_accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  if (row === undefined) return null;
  return {
    entity: await tx.findOneByOrFail(ExchangeAccountEntity, { id }),
    isSyncRequested: row.is_asked === true,
  };
}

async function emitAccountEvent(tx: Tx, id: string, type: EventType): Promise<void> {
  const entity = await tx.findOneByOrFail(ExchangeAccountEntity, { id });
  await emitEvent(tx, {
    userId: entity.userId,
    type,
    schema: exchangeAccountSchema,
    record: viewExchangeAccount(entity),
  });
}

function isSame(a: Balances, b: Balances): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => a[name]?.free === b[name]?.free && a[name]?.locked === b[name]?.locked)
  );
}
