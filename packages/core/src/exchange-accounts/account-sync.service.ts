/**
 * Stores what the trading worker learns about accounts: balances and rejected credentials.
 *
 * 1. The instant of a snapshot of balances is the database's time just before the request to the exchange. The snapshot
 *    therefore includes all earlier changes. An older snapshot never replaces a newer one.
 * 2. A stream's updates of single assets are stored if they increase the free amount. The next snapshot replaces them.
 *    An update does not change the snapshot's instant. An update that was received before the snapshot is ignored.
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

/** An account with what the worker needs to connect to its exchange. */
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

  /**
   * Returns those of the accounts whose sync was requested, or that were not synced for `maxAgeMs`; at most `limit`.
   */
  async dueForSync(
    maxAgeMs: number,
    limit: number,
    accountIds: readonly string[],
  ): Promise<readonly string[]> {
    if (accountIds.length === 0) return [];
    const rows: { id: string }[] = await this.platform.database.query(
      `SELECT id FROM exchange_accounts
       WHERE deleted_at IS NULL AND is_active AND id = ANY ($3)
         AND (sync_requested_at > coalesce(sync_served_at, '-infinity')
              OR coalesce(sync_served_at, '-infinity') < clock_timestamp() - $1 * interval '1 millisecond')
       ORDER BY sync_requested_at > coalesce(sync_served_at, '-infinity') DESC NULLS LAST, sync_served_at NULLS FIRST
       LIMIT $2`,
      [maxAgeMs, limit, accountIds],
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
        ({ is_sync_requested, balances_before, balances }) =>
          is_sync_requested === true || !isSame(balances_before, balances),
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
   * Stores increases of free amounts. Decreases are not stored: the reservations of the trades that caused them are
   * already subtracted until the next snapshot. Accounts without a snapshot are skipped.
   */
  async storeUpdates(updates: readonly BalanceUpdate[]): Promise<void> {
    const rows = mergeByAccount(updates).map(({ accountId, balances, receivedAt }) => ({
      id: accountId,
      balances,
      received_at: receivedAt,
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
   * Records a failed sync and emits its events. If the exchange rejected the credentials, the account is deactivated. A
   * rejection of credentials that were replaced meanwhile is ignored.
   *
   * @param rejected the sealed credentials that the exchange rejected; null for any other failure
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

/** Merges the updates into one per account; the last update of an asset wins. */
function mergeByAccount(updates: readonly BalanceUpdate[]): readonly BalanceUpdate[] {
  const byAccount = new Map<string, BalanceUpdate>();
  for (const each of updates) {
    const before = byAccount.get(each.accountId);
    // Keeps the instant of the first update, so that a snapshot taken after it is not overwritten.
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
    SELECT DISTINCT ON (id) s.id, s.balances, s.taken_at, before.balances_before, before.is_sync_requested
    FROM jsonb_to_recordset($2) AS s (id uuid, balances jsonb, taken_at timestamptz)
    CROSS JOIN LATERAL (
      SELECT b.balances AS balances_before, b.sync_requested_at > coalesce(b.sync_served_at, '-infinity')
        AND b.sync_requested_at <= s.taken_at AS is_sync_requested
      FROM exchange_accounts b WHERE b.id = s.id OFFSET 0) before
    ORDER BY id, taken_at DESC) AS read
  WHERE a.id = ANY ($1) AND a.id = read.id AND a.deleted_at IS NULL
    AND coalesce(a.balances_taken_at, '-infinity') < read.taken_at
  RETURNING ${columns}, read.balances_before, read.is_sync_requested`,
);

interface StoredSnapshot {
  readonly balances: Balances;
  readonly balances_before: Balances;
  readonly is_sync_requested: boolean | null;
}

const STORE_UPDATES = `UPDATE exchange_accounts a
  SET balances = a.balances || received.increased, updated_at = clock_timestamp()
  FROM (SELECT b.id, received.received_at, jsonb_object_agg(asset.key, asset.value) AS increased
        FROM jsonb_to_recordset($1) AS received (id uuid, balances jsonb, received_at timestamptz)
        JOIN exchange_accounts b ON b.id = received.id, jsonb_each(received.balances) AS asset
        WHERE (asset.value ->> 'free')::numeric > coalesce((b.balances -> asset.key ->> 'free')::numeric, 0)
        GROUP BY b.id, received.received_at) AS received
  WHERE a.id = received.id AND a.deleted_at IS NULL AND a.balances_taken_at < received.received_at`;

interface Locked {
  readonly entity: ExchangeAccountEntity;
  /** Whether a sync was requested that has not been made yet. */
  readonly isSyncRequested: boolean;
}

async function lock(tx: Tx, id: string): Promise<Locked | null> {
  const [row] = await tx.query(
    `SELECT sync_requested_at > coalesce(sync_served_at, '-infinity') AS is_sync_requested
     FROM exchange_accounts WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [id],
  );
  if (row === undefined) return null;
  return {
    entity: await tx.findOneByOrFail(ExchangeAccountEntity, { id }),
    isSyncRequested: row.is_sync_requested === true,
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
  const assets = Object.keys(a);
  return (
    assets.length === Object.keys(b).length &&
    assets.every((asset) => a[asset]?.free === b[asset]?.free && a[asset]?.locked === b[asset]?.locked)
  );
}
